import { type ApiKey, KEY_KINDS, SCOPES } from '../../tenancy/api-key.ts';
import { Slices } from './slices.ts';
import type { StoredKey } from './snapshot-source.ts';

/** What replacing the keys of a project came to. */
export interface KeyChange {
  readonly set: readonly StoredKey[];
  /** Hashes. */
  readonly gone: readonly string[];
}

/** The usable keys of all projects by their hashes, for when nobody can look them up. */
export class KeyTable {
  readonly #keys = new Map<string, StoredKey>();
  readonly #hashesOf = new Map<string, Set<string>>();

  get size(): number {
    return this.#keys.size;
  }

  /** As it was when the snapshot was taken; whether it has expired since, the caller sees. */
  find(sha256: string): ApiKey | undefined {
    const stored = this.#keys.get(sha256);
    return stored === undefined ? undefined : apiKeyOf(stored);
  }

  rows(): Iterable<StoredKey> {
    return this.#keys.values();
  }

  /** All keys that a project has now. */
  async replace(projectId: string, keys: readonly StoredKey[]): Promise<KeyChange> {
    const slices = new Slices();
    const set: StoredKey[] = [];
    const before = new Set(this.#hashesOf.get(projectId));
    for (const key of keys) {
      before.delete(key.sha256);
      if (!isSame(this.#keys.get(key.sha256), key)) {
        this.put(key);
        set.push(key);
      }
      if (slices.step()) await slices.pause();
    }
    for (const sha256 of before) this.remove(sha256);
    return { set, gone: [...before] };
  }

  put(key: StoredKey): void {
    this.remove(key.sha256);
    this.#keys.set(key.sha256, key);
    const hashes = this.#hashesOf.get(key.projectId);
    if (hashes === undefined) this.#hashesOf.set(key.projectId, new Set([key.sha256]));
    else hashes.add(key.sha256);
  }

  remove(sha256: string): void {
    const key = this.#keys.get(sha256);
    if (key === undefined) return;
    this.#keys.delete(sha256);
    const hashes = this.#hashesOf.get(key.projectId);
    hashes?.delete(sha256);
    if (hashes?.size === 0) this.#hashesOf.delete(key.projectId);
  }

  drop(projectId: string): void {
    for (const sha256 of this.#hashesOf.get(projectId) ?? []) this.#keys.delete(sha256);
    this.#hashesOf.delete(projectId);
  }
}

/** Only its project, scopes and end decide anything; a key is never renamed. */
function isSame(before: StoredKey | undefined, after: StoredKey): boolean {
  return (
    before !== undefined &&
    before.id === after.id &&
    before.projectId === after.projectId &&
    before.scopes === after.scopes &&
    before.expiresAtMs === after.expiresAtMs
  );
}

/** Undefined for a kind that this version doesn't know; scopes that it doesn't know give nothing. */
function apiKeyOf({ sha256: _, kind: storedKind, scopes, ...rest }: StoredKey): ApiKey | undefined {
  const kind = KEY_KINDS.find((known) => known === storedKind);
  if (kind === undefined) return undefined;
  const stored: unknown = JSON.parse(scopes);
  return {
    ...rest,
    kind,
    scopes: Array.isArray(stored) ? SCOPES.filter((scope) => stored.includes(scope)) : [],
    revokedAtMs: null,
  };
}
