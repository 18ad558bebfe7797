import { BrumeError } from '../../errors/catalogue.ts';
import { type Clock, systemClock } from '../../limiter/clock.ts';
import type { ProjectRules } from '../../policy/rules/project-rules.ts';
import type {
  Applied,
  ApplyOptions,
  ChangeItem,
  ProjectChange,
  RulesStore,
} from '../../policy/rules/rules-store.ts';
import { plannedItems, planRules, writeRules } from './apply-rules.ts';
import type { MaybeDone } from './change.ts';
import { itemPages, startOf } from './change-items.ts';
import { ChangeRecord } from './change-record.ts';
import { Changes, type ChangesOptions, LARGE_CHANGE_TIMEOUT_MS } from './changes.ts';
import { selectChange, selectChanges, selectLastRevision } from './project-changes.ts';
import { rollBackTo } from './roll-back.ts';
import type { Sql, SqlTransaction } from './sql.ts';
import { requireProject } from './sql-tenancy-store.ts';
import { shownItem } from './stored-items.ts';
import { plainRules, readRules } from './stored-rules.ts';

const LARGE = { timeoutMs: LARGE_CHANGE_TIMEOUT_MS };

/** A project's rules as a whole, in the database. */
export class SqlRulesStore implements RulesStore {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#clock = options.clock ?? systemClock;
    this.#changes = new Changes(sql, options);
  }

  exportRules(projectId: string): Promise<{ readonly revision: number; readonly rules: ProjectRules }> {
    return this.#read(projectId, async (transaction) => ({
      revision: await selectLastRevision(transaction, projectId),
      rules: plainRules(await readRules(transaction, { projectId, nowMs: this.#clock.nowMs() })),
    }));
  }

  diffRules(
    projectId: string,
    rules: ProjectRules,
    { prune }: Pick<ApplyOptions, 'prune'>,
  ): Promise<Applied> {
    return this.#read(projectId, async (transaction) => {
      const now = { transaction, nowMs: this.#clock.nowMs() };
      return {
        revision: await selectLastRevision(transaction, projectId),
        items: await plannedItems(await planRules(now, projectId, rules, { prune })),
      };
    });
  }

  applyRules(
    projectId: string,
    rules: ProjectRules,
    { actor, prune, expectedRevision }: ApplyOptions,
  ): Promise<Applied> {
    return this.#changes.makeIfNeededIn<Applied>(
      projectId,
      actor,
      async (undecided) => {
        const last = await expectedLast(undecided.transaction, projectId, expectedRevision);
        const planned = await planRules(undecided, projectId, rules, { prune });
        if (planned.writes.length === 0) return unchanged(last);
        const record = new ChangeRecord(await undecided.begin(), projectId);
        const items = await writeRules(record, planned);
        const deed = await record.close({ action: 'rules.apply', target: projectId });
        return { value: { revision: record.change.revision, items }, deed };
      },
      LARGE,
    );
  }

  async listChanges(
    projectId: string,
    { before = Number.MAX_SAFE_INTEGER, pageSize }: { readonly before?: number; readonly pageSize: number },
  ): Promise<readonly ProjectChange[]> {
    const changes = await selectChanges(this.#sql, projectId, { before, limit: pageSize });
    if (changes.length === 0) await requireProject(this.#sql, projectId);
    return changes;
  }

  async findChange(
    projectId: string,
    revision: number,
  ): Promise<(ProjectChange & { readonly items: readonly ChangeItem[] }) | undefined> {
    const change = await selectChange(this.#sql, projectId, revision);
    if (change !== undefined) return { ...change, items: await shownItems(this.#sql, projectId, revision) };
    await requireProject(this.#sql, projectId);
    return undefined;
  }

  rollBack(
    projectId: string,
    revision: number,
    { actor, expectedRevision }: Pick<ApplyOptions, 'actor' | 'expectedRevision'>,
  ): Promise<Applied> {
    return this.#changes.makeIfNeededIn<Applied>(
      projectId,
      actor,
      async (undecided) => {
        const { transaction } = undecided;
        const last = await expectedLast(transaction, projectId, expectedRevision);
        if ((await selectChange(transaction, projectId, revision)) === undefined) {
          throw new BrumeError('unknown_revision');
        }
        const rolledBack = await rollBackTo(undecided, { projectId, revision, last });
        if (rolledBack === undefined) return unchanged(last);
        const { change, deed } = rolledBack;
        const items = await shownItems(transaction, projectId, change.revision);
        return { value: { revision: change.revision, items }, deed };
      },
      LARGE,
    );
  }

  /** Everything that `work` reads is as of one moment. */
  #read<T>(projectId: string, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    return this.#sql.transaction(
      async (transaction) => {
        await requireProject(transaction, projectId);
        return work(transaction);
      },
      { ...LARGE, isSnapshot: true },
    );
  }
}

function unchanged(last: number): MaybeDone<Applied> {
  return { value: { revision: last, items: [] }, deed: undefined };
}

/** The project's last change. Rejects with `unknown_project`, or `revision_conflict` if it is another one. */
async function expectedLast(
  transaction: SqlTransaction,
  projectId: string,
  expected: number | undefined,
): Promise<number> {
  await requireProject(transaction, projectId);
  const last = await selectLastRevision(transaction, projectId);
  if (expected === undefined || expected === last) return last;
  throw new BrumeError('revision_conflict', {
    detail: `The project's last change is ${last}, not ${expected}. Look at what it did, then say which one is expected.`,
  });
}

async function shownItems(
  sql: Pick<Sql, 'all'>,
  projectId: string,
  revision: number,
): Promise<readonly ChangeItem[]> {
  const items: ChangeItem[] = [];
  for await (const page of itemPages(sql, projectId, { after: startOf(revision), upTo: revision })) {
    items.push(...page.map(shownItem));
  }
  return items;
}
