import { BrumeError } from '../../errors/catalogue.ts';
import { type Clock, systemClock } from '../../limiter/clock.ts';
import type {
  ExceptionPage,
  ExceptionQuery,
  ExceptionStore,
} from '../../policy/exceptions/exception-store.ts';
import type { NewException, RuleException } from '../../policy/exceptions/rule-exception.ts';
import type { Written } from '../../policy/policy-store.ts';
import type { Change } from './change.ts';
import { ChangeRecord } from './change-record.ts';
import { Changes, type ChangesOptions } from './changes.ts';
import { type ExceptionKey, isInForce } from './exception-rows.ts';
import {
  assertPatternsFit,
  type PlannedException,
  replacement,
  writeExceptions,
} from './exception-writes.ts';
import { selectCandidates, selectExceptions, selectExceptionsByKey } from './exceptions.ts';
import { nextOf, positionOf } from './list-position.ts';
import { type NamespaceRow, selectNamespaceById } from './namespaces.ts';
import { setProjectRevision } from './projects.ts';
import type { Sql } from './sql.ts';

type AddOptions = Parameters<ExceptionStore['addException']>[2];

/** Blocks, exemptions and overrides in the database. */
export class SqlExceptionStore implements ExceptionStore {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#clock = options.clock ?? systemClock;
    this.#changes = new Changes(sql, options);
  }

  async listExceptions(namespaceId: string, query: ExceptionQuery): Promise<ExceptionPage> {
    const { after, pageSize, ...filter } = query;
    const items = await selectExceptions(this.#sql, namespaceId, {
      ...filter,
      ...(after !== undefined && { after: positionOf(after) }),
      limit: pageSize + 1,
      nowMs: this.#clock.nowMs(),
    });
    if (items.length === 0) await this.#requireNamespace(namespaceId);
    return {
      items: items.slice(0, pageSize),
      next: items.length > pageSize ? nextOf(items[pageSize - 1]) : null,
    };
  }

  async findCandidates(namespaceId: string, matches: readonly string[]): Promise<readonly RuleException[]> {
    const candidates = await selectCandidates(this.#sql, namespaceId, matches);
    if (candidates.length === 0) await this.#requireNamespace(namespaceId);
    return candidates;
  }

  async addException(
    namespaceId: string,
    exception: NewException,
    options: AddOptions,
  ): Promise<Written<RuleException>> {
    const { revision, value } = await this.#add(namespaceId, [exception], options, () => 'match');
    const [added] = value;
    if (added?.after == null) throw new Error('nothing was added');
    return { revision, value: added.after };
  }

  async addExceptions(
    namespaceId: string,
    exceptions: readonly NewException[],
    options: AddOptions,
  ): Promise<Written<{ readonly added: number; readonly replaced: number }>> {
    const { revision, value } = await this.#add(
      namespaceId,
      exceptions,
      options,
      (index) => `entries[${index}].match`,
    );
    const replaced = value.filter(({ before }) => before !== null).length;
    return { revision, value: { added: value.length - replaced, replaced } };
  }

  removeException(
    namespaceId: string,
    exception: Pick<RuleException, 'kind' | 'match'>,
    { author }: { readonly author: string },
  ): Promise<Written<RuleException>> {
    return this.#changeIn(namespaceId, author, async (record, { name }) => {
      const key = { namespaceId, kind: exception.kind, match: exception.match };
      const [before] = await inForce(record.change, [key]);
      if (before === undefined) throw new BrumeError('unknown_exception');
      await writeExceptions(record, [{ namespace: name, key, before, after: null }]);
      return before;
    });
  }

  #add(
    namespaceId: string,
    exceptions: readonly NewException[],
    { author, replace }: AddOptions,
    fieldOf: (index: number) => string,
  ): Promise<Written<readonly PlannedException[]>> {
    return this.#changeIn(namespaceId, author, async (record, { name }) => {
      const { nowMs } = record.change;
      const keys = exceptions.map(({ kind, match }) => ({ namespaceId, kind, match }));
      const known = new Map(
        (await inForce(record.change, keys)).map((exception) => [textOfKey(exception), exception]),
      );
      const planned = exceptions.map((exception, index) => {
        const key = { namespaceId, kind: exception.kind, match: exception.match };
        const before = known.get(textOfKey(key)) ?? null;
        if (before !== null && !replace) throw new BrumeError('conflict', { field: fieldOf(index) });
        return {
          namespace: name,
          key,
          before,
          after: replacement(before, key, exception, { author, nowMs }),
        };
      });
      await writeExceptions(record, planned);
      await assertPatternsFit(
        record.change,
        planned.map(({ after }) => after),
      );
      return planned;
    });
  }

  #changeIn<T>(
    namespaceId: string,
    author: string,
    work: (record: ChangeRecord, namespace: NamespaceRow) => Promise<T>,
  ): Promise<Written<T>> {
    return this.#changes.make(async (change) => {
      const namespace = await selectNamespaceById(change.transaction, namespaceId);
      if (namespace === undefined) throw new BrumeError('unknown_namespace');
      await setProjectRevision(change.transaction, namespace.projectId, change.revision);
      const record = new ChangeRecord(change, namespace.projectId, author);
      const value = await work(record, namespace);
      await record.close();
      return { value, revision: change.revision };
    });
  }

  async #requireNamespace(id: string): Promise<void> {
    if ((await selectNamespaceById(this.#sql, id)) === undefined) throw new BrumeError('unknown_namespace');
  }
}

async function inForce(
  { transaction, nowMs }: Change,
  keys: readonly ExceptionKey[],
): Promise<RuleException[]> {
  const rows = await selectExceptionsByKey(transaction, keys);
  return rows.filter((exception) => isInForce(exception, nowMs));
}

/** No kind has a blank in it. */
function textOfKey({ kind, match }: Pick<RuleException, 'kind' | 'match'>): string {
  return `${kind} ${match}`;
}
