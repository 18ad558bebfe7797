import { BrumeError } from '../../src/errors/catalogue.ts';
import type { ExceptionQuery, ExceptionStore } from '../../src/policy/exceptions/exception-store.ts';
import type { NewException, RuleException } from '../../src/policy/exceptions/rule-exception.ts';
import type { Actor, Versioned } from '../../src/tenancy/actor.ts';

/** Blocks, exemptions and overrides in memory: what the routes ask of their store, without SQL. */
export class MemoryExceptions implements ExceptionStore {
  readonly all: RuleException[] = [];
  readonly #nowMs: () => number;
  #revision = 0;
  #ids = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  async listExceptions(namespaceId: string, query: ExceptionQuery) {
    const { kind, id, match, withExpired = false, after, pageSize } = query;
    const found = this.all
      .filter((one) => one.namespaceId === namespaceId && (kind === undefined || one.kind === kind))
      .filter((one) => (id === undefined || one.id === id) && (match === undefined || one.match === match))
      .filter((one) => withExpired || this.#isInForce(one))
      .sort((left, right) => (placeOf(left) < placeOf(right) ? -1 : 1))
      .filter((one) => after === undefined || placeOf(one) > after);
    const items = found.slice(0, pageSize);
    const last = items.at(-1);
    return { items, next: found.length > items.length && last !== undefined ? placeOf(last) : null };
  }

  async addException(
    namespaceId: string,
    exception: NewException,
    { actor, replace, expectedVersion }: Versioned & { replace: boolean },
  ) {
    const there = this.#find(namespaceId, exception);
    if (there !== undefined && this.#isInForce(there) && !replace) throw new BrumeError('conflict');
    assertVersion(there, expectedVersion);
    const nowMs = this.#nowMs();
    const value: RuleException = {
      ...exception,
      namespaceId,
      id: there?.id ?? `ex_${++this.#ids}`,
      version: ++this.#revision,
      author: actor.name,
      createdAtMs: there?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    if (there !== undefined) this.all.splice(this.all.indexOf(there), 1);
    this.all.push(value);
    return { value, revision: this.#revision };
  }

  async addExceptions(
    namespaceId: string,
    exceptions: readonly NewException[],
    options: { actor: Actor; replace: boolean },
  ) {
    const there = exceptions.map((one) => this.#find(namespaceId, one));
    const taken = there.findIndex((one) => one !== undefined && this.#isInForce(one));
    if (taken >= 0 && !options.replace)
      throw new BrumeError('conflict', { field: `entries[${taken}].match` });
    for (const one of exceptions) await this.addException(namespaceId, one, { ...options, replace: true });
    const replaced = there.filter((one) => one !== undefined).length;
    return { value: { added: exceptions.length - replaced, replaced }, revision: this.#revision };
  }

  async findCandidates(namespaceId: string, matches: readonly string[]) {
    return this.all.filter(
      (one) => one.namespaceId === namespaceId && (matches.includes(one.match) || one.form === 'pattern'),
    );
  }

  async removeException(
    namespaceId: string,
    exception: Pick<RuleException, 'kind' | 'match'>,
    { expectedVersion }: Versioned,
  ) {
    const value = this.#find(namespaceId, exception);
    if (value === undefined || !this.#isInForce(value)) throw new BrumeError('unknown_exception');
    assertVersion(value, expectedVersion);
    this.all.splice(this.all.indexOf(value), 1);
    return { value, revision: ++this.#revision };
  }

  #find(namespaceId: string, { kind, match }: Pick<RuleException, 'kind' | 'match'>) {
    return this.all.find(
      (one) => one.namespaceId === namespaceId && one.kind === kind && one.match === match,
    );
  }

  #isInForce({ expiresAtMs }: RuleException): boolean {
    return expiresAtMs === null || this.#nowMs() < expiresAtMs;
  }
}

function assertVersion(there: RuleException | undefined, expected: number | undefined): void {
  if (expected !== undefined && expected !== there?.version) throw new BrumeError('precondition_failed');
}

function placeOf({ match, kind }: RuleException): string {
  return `${match}\n${kind}`;
}
