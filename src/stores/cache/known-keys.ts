import { LRUCache } from 'lru-cache';
import type { ApiKey } from '../../tenancy/api-key.ts';

export interface KnownKey {
  readonly key: ApiKey;
  /** On the monotonic clock. */
  freshUntilMs: number;
}

/** Keys by their hash, the least used of them going first; and by project, so that a change touches its own only. */
export class KnownKeys {
  readonly #keys: LRUCache<string, KnownKey>;
  readonly #hashesByProject = new Map<string, Set<string>>();

  #evictions = 0;

  constructor(max: number) {
    this.#keys = new LRUCache({
      // Not by `max`, which has it fill its tables at once: at each start, and for keys that may never come.
      maxSize: max,
      sizeCalculation: () => 1,
      dispose: (entry, sha256, reason) => {
        this.#unlist(entry.key.projectId, sha256);
        if (reason === 'evict') this.#evictions += 1;
      },
    });
  }

  /** How many gave way to others since the start. */
  get evictions(): number {
    return this.#evictions;
  }

  get size(): number {
    return this.#keys.size;
  }

  get(sha256: string): KnownKey | undefined {
    return this.#keys.get(sha256);
  }

  set(sha256: string, entry: KnownKey): void {
    this.#keys.set(sha256, entry);
    const { projectId } = entry.key;
    const hashes = this.#hashesByProject.get(projectId);
    if (hashes === undefined) this.#hashesByProject.set(projectId, new Set([sha256]));
    else hashes.add(sha256);
  }

  delete(sha256: string): void {
    this.#keys.delete(sha256);
  }

  deleteOf(hasChanged: (projectId: string) => boolean): void {
    for (const [projectId, hashes] of [...this.#hashesByProject]) {
      if (hasChanged(projectId)) for (const sha256 of [...hashes]) this.#keys.delete(sha256);
    }
  }

  /** None of them is fresh any more. */
  expireAll(): void {
    for (const entry of this.#keys.values()) entry.freshUntilMs = Number.NEGATIVE_INFINITY;
  }

  #unlist(projectId: string, sha256: string): void {
    const hashes = this.#hashesByProject.get(projectId);
    hashes?.delete(sha256);
    if (hashes?.size === 0) this.#hashesByProject.delete(projectId);
  }
}
