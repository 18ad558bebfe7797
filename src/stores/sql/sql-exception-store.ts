import { BrumeError } from '../../errors/catalogue.ts';
import { type Clock, systemClock } from '../../limiter/clock.ts';
import type {
  ExceptionPage,
  ExceptionQuery,
  ExceptionStore,
} from '../../policy/exceptions/exception-store.ts';
import type { NewException, RuleException } from '../../policy/exceptions/rule-exception.ts';
import type { Written } from '../../policy/policy-store.ts';
import type { Actor, Versioned } from '../../tenancy/actor.ts';
import type { AuditAction } from '../../tenancy/audit.ts';
import { assertVersion } from './assert-version.ts';
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

/** No change has this number. */
const NONE_THERE = { version: 0 };

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
    const { revision, value } = await this.#add(namespaceId, [exception], options, {
      fieldOf: () => 'match',
      action: `${exception.kind}.set` as const,
    });
    const [added] = value;
    if (added?.after == null) throw new Error('nothing was added');
    return { revision, value: { ...added.after, version: revision } };
  }

  async addExceptions(
    namespaceId: string,
    exceptions: readonly NewException[],
    options: AddOptions,
  ): Promise<Written<{ readonly added: number; readonly replaced: number }>> {
    const { revision, value } = await this.#add(namespaceId, exceptions, options, {
      fieldOf: (index) => `entries[${index}].match`,
      action: 'exceptions.import',
    });
    const replaced = value.filter(({ before }) => before !== null).length;
    return { revision, value: { added: value.length - replaced, replaced } };
  }

  removeException(
    namespaceId: string,
    { kind, match }: Pick<RuleException, 'kind' | 'match'>,
    { actor, expectedVersion }: Versioned,
  ): Promise<Written<RuleException>> {
    const action = `${kind}.remove` as const;
    return this.#changeIn(namespaceId, { actor, action }, async (record, { name }) => {
      const key = { namespaceId, kind, match };
      const [before] = await inForce(record.change, [key]);
      if (before === undefined) throw new BrumeError('unknown_exception');
      assertVersion(before, expectedVersion);
      await writeExceptions(record, [{ namespace: name, key, before, after: null }]);
      return { value: before, target: targetOf(name, match) };
    });
  }

  #add(
    namespaceId: string,
    exceptions: readonly NewException[],
    { actor, replace, expectedVersion }: AddOptions,
    { fieldOf, action }: { readonly fieldOf: (index: number) => string; readonly action: AuditAction },
  ): Promise<Written<readonly PlannedException[]>> {
    return this.#changeIn(namespaceId, { actor, action }, async (record, { name }) => {
      const { nowMs } = record.change;
      const keys = exceptions.map(({ kind, match }) => ({ namespaceId, kind, match }));
      const known = new Map(
        (await inForce(record.change, keys)).map((exception) => [textOfKey(exception), exception]),
      );
      const planned = exceptions.map((exception, index) => {
        const key = { namespaceId, kind: exception.kind, match: exception.match };
        const before = known.get(textOfKey(key)) ?? null;
        if (before !== null && !replace) throw new BrumeError('conflict', { field: fieldOf(index) });
        assertVersion(before ?? NONE_THERE, expectedVersion);
        return {
          namespace: name,
          key,
          before,
          after: replacement(before, key, exception, { author: actor.name, nowMs }),
        };
      });
      await writeExceptions(record, planned);
      await assertPatternsFit(
        record.change,
        planned.map(({ after }) => after),
      );
      const [only, ...others] = exceptions;
      const isOne = only !== undefined && others.length === 0;
      return { value: planned, target: isOne ? targetOf(name, only.match) : name };
    });
  }

  #changeIn<T>(
    namespaceId: string,
    { actor, action }: { readonly actor: Actor; readonly action: AuditAction },
    work: (
      record: ChangeRecord,
      namespace: NamespaceRow,
    ) => Promise<{ readonly value: T; readonly target: string }>,
  ): Promise<Written<T>> {
    return this.#changes.make(actor, async (change) => {
      const namespace = await selectNamespaceById(change.transaction, namespaceId);
      if (namespace === undefined) throw new BrumeError('unknown_namespace');
      const { projectId } = namespace;
      const place = await setProjectRevision(change.transaction, projectId, change.revision);
      const record = new ChangeRecord(change, projectId);
      const { value, target } = await work(record, namespace);
      const deed = await record.close({ action, target });
      return { ...place, value: { value, revision: change.revision }, deed };
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

/** As the audit names it. No name of a namespace has a slash in it. */
function targetOf(namespace: string, match: string): string {
  return `${namespace}/${match}`;
}

/** No kind has a blank in it. */
function textOfKey({ kind, match }: Pick<RuleException, 'kind' | 'match'>): string {
  return `${kind} ${match}`;
}
