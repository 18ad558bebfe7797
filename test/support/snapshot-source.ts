import { BrumeError } from '../../src/errors/catalogue.ts';
import type { ExceptionKind } from '../../src/policy/exceptions/rule-exception.ts';
import type {
  RemovedException,
  SnapshotSource,
  StoredException,
  StoredKey,
  StoredNamespace,
} from '../../src/stores/cache/snapshot-source.ts';

export function ruleText(limit: number): string {
  return JSON.stringify({ limits: [{ algorithm: 'fixed_window', limit, windowMs: 60_000 }] });
}

/** A configuration store in memory that notes what is asked of it, and can be away or slow. */
export class FakeSource implements SnapshotSource {
  revision = 0;
  secretByte = 7;
  removalsListedAfter = 0;
  /** When the change of a revision was made, where that is known. */
  readonly revisedAt = new Map<number, number>();
  readonly projects = new Map<string, number>();
  readonly namespaces = new Map<string, StoredNamespace>();
  /** Calls a day, by project. */
  readonly budgets = new Map<string, number>();
  readonly keys = new Map<string, StoredKey>();
  readonly exceptions = new Map<string, StoredException>();
  removals: RemovedException[] = [];
  /** Went with their namespaces. */
  #unlisted: StoredException[] = [];
  readonly asked: string[] = [];
  isAway = false;
  /** Calls wait for this. */
  gate: Promise<void> = Promise.resolve();
  /** Runs once before a call of this name is answered. */
  readonly before = new Map<string, () => void>();

  /** Undefined: the project has no ceiling any more. */
  limitCalls(projectId: string, callsPerDay?: number): void {
    this.change(projectId);
    if (callsPerDay === undefined) this.budgets.delete(projectId);
    else this.budgets.set(projectId, callsPerDay);
  }

  change(projectId: string, name?: string, text?: string): void {
    this.revision += 1;
    this.projects.set(projectId, this.revision);
    const id = `ns_${projectId}_${name}`;
    if (name === undefined) return;
    if (text === undefined) {
      this.namespaces.delete(id);
      for (const [key, row] of this.exceptions) {
        if (row.namespaceId !== id) continue;
        this.exceptions.delete(key);
        this.#unlisted.push(row);
      }
      return;
    }
    // Back under the same id, as after a rollback, without them.
    for (const { namespaceId, kind, match } of this.#unlisted.filter((row) => row.namespaceId === id)) {
      this.removals.push({ namespaceId, kind, match, revision: this.revision });
    }
    this.#unlisted = this.#unlisted.filter((row) => row.namespaceId !== id);
    const version = (this.namespaces.get(id)?.version ?? this.revision) + 1;
    this.namespaces.set(id, { id, projectId, name, ruleText: text, version, createdAtMs: 1, updatedAtMs: 1 });
  }

  drop(projectId: string): void {
    for (const { name, projectId: of } of [...this.namespaces.values()]) {
      if (of === projectId) this.change(projectId, name);
    }
    this.revision += 1;
    this.projects.delete(projectId);
    for (const [sha256, key] of this.keys) if (key.projectId === projectId) this.keys.delete(sha256);
  }

  except(
    projectId: string,
    name: string,
    kind: ExceptionKind,
    match: string,
    more: Partial<StoredException> = {},
  ) {
    this.revision += 1;
    this.projects.set(projectId, this.revision);
    const namespaceId = `ns_${projectId}_${name}`;
    const id = `ex_${namespaceId}_${kind}_${match}`;
    this.exceptions.set(id, {
      id,
      namespaceId,
      kind,
      form: 'exact',
      match,
      limitsText: null,
      createdAtMs: this.revision,
      expiresAtMs: null,
      revision: this.revision,
      ...more,
    });
  }

  lift(projectId: string, name: string, kind: ExceptionKind, match: string): void {
    this.revision += 1;
    this.projects.set(projectId, this.revision);
    const namespaceId = `ns_${projectId}_${name}`;
    this.exceptions.delete(`ex_${namespaceId}_${kind}_${match}`);
    this.removals.push({ namespaceId, kind, match, revision: this.revision });
  }

  addKey(projectId: string, sha256: string, expiresAtMs: number | null = null): void {
    this.change(projectId);
    this.keys.set(sha256, {
      id: `key_${sha256}`,
      projectId,
      name: 'test',
      kind: 'service',
      scopes: '["limit","peek"]',
      prefix: 'bru_sk_test',
      sha256,
      createdAtMs: 1,
      expiresAtMs,
    });
  }

  async isWhole() {
    return true;
  }

  async installation() {
    await this.#answer('revision');
    const { revision, removalsListedAfter } = this;
    const revisedAtMs = this.revisedAt.get(revision) ?? null;
    const identifierSecret = new Uint8Array(32).fill(this.secretByte);
    return { revision, revisedAtMs, removalsListedAfter, identifierSecret };
  }

  async revisedAtMs(revision: number) {
    await this.#answer(`when ${revision} was made`);
    return this.revisedAt.get(revision) ?? null;
  }

  async projectRevisions() {
    await this.#answer('projects');
    return new Map(this.projects);
  }

  async namespacesChangedAfter(revision: number) {
    await this.#answer(`namespaces after ${revision}`);
    return [...this.namespaces.values()].filter((row) => this.#hasChanged(row, revision));
  }

  async budgetsChangedAfter(revision: number) {
    await this.#answer(`budgets after ${revision}`);
    return new Map([...this.budgets].filter(([projectId]) => this.#hasChanged({ projectId }, revision)));
  }

  async keysChangedAfter(revision: number) {
    await this.#answer(`keys after ${revision}`);
    return [...this.keys.values()].filter((row) => this.#hasChanged(row, revision));
  }

  async exceptionsRemovedAfter(revision: number) {
    await this.#answer(`removals after ${revision}`);
    return this.removals.filter((removal) => removal.revision > revision);
  }

  async exceptionsChangedAfter(
    revision: number,
    { after, pageSize }: { after?: Pick<StoredException, 'revision' | 'id'>; pageSize: number },
  ) {
    await this.#answer(`exceptions after ${revision}`);
    const order = (one: Pick<StoredException, 'revision' | 'id'>, other: typeof one) =>
      one.revision - other.revision || (one.id < other.id ? -1 : Number(one.id !== other.id));
    return [...this.exceptions.values()]
      .filter((row) => row.revision > revision && (after === undefined || order(row, after) > 0))
      .sort(order)
      .slice(0, pageSize);
  }

  #hasChanged({ projectId }: { projectId: string }, revision: number): boolean {
    return (this.projects.get(projectId) ?? -1) > revision;
  }

  async #answer(call: string): Promise<void> {
    this.asked.push(call);
    await this.gate;
    if (this.isAway) throw new BrumeError('store_unavailable');
    const [name = ''] = call.split(' ');
    const before = this.before.get(name);
    this.before.delete(name);
    before?.();
  }
}
