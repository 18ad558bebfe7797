import type { Clock } from '../../limiter/clock.ts';
import { type ApiKey, isUsable, type KeyDirectory } from '../../tenancy/api-key.ts';
import type { SnapshotCache } from './snapshot-cache.ts';

/**
 * A directory of keys that the snapshot stands in for while it can't be asked: a key that the snapshot
 * has is answered from there, and at once where the store is known to be away.
 */
export class SnapshotKeys implements KeyDirectory {
  readonly #directory: KeyDirectory;
  readonly #snapshot: Pick<SnapshotCache, 'state' | 'key'>;
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(
    directory: KeyDirectory,
    { snapshot, clock }: { snapshot: Pick<SnapshotCache, 'state' | 'key'>; clock: Pick<Clock, 'nowMs'> },
  ) {
    this.#directory = directory;
    this.#snapshot = snapshot;
    this.#clock = clock;
  }

  async find(sha256: string): Promise<ApiKey | undefined> {
    const asked = this.#directory.find(sha256);
    try {
      const standIn = this.#snapshot.state().isStale ? this.#snapshot.key(sha256) : undefined;
      // What the directory knows without asking goes first: it may have heard of a revocation.
      if (standIn === undefined) return await asked;
      return await Promise.race([asked, nextTurn().then(() => this.#usable(standIn))]);
    } catch (error) {
      const standIn = this.#snapshot.key(sha256);
      if (standIn === undefined) throw error;
      return this.#usable(standIn);
    }
  }

  #usable(key: ApiKey): ApiKey | undefined {
    return isUsable(key, this.#clock.nowMs()) ? key : undefined;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
