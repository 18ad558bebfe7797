import type { ApiKey, KeyDirectory } from '../../tenancy/api-key.ts';
import type { KeyUses } from './key-uses.ts';

/** A directory of keys that notes that a key which it found was used. */
export class NotedKeys implements KeyDirectory {
  readonly #directory: KeyDirectory;
  readonly #uses: Pick<KeyUses, 'note'>;

  constructor(directory: KeyDirectory, uses: Pick<KeyUses, 'note'>) {
    this.#directory = directory;
    this.#uses = uses;
  }

  async find(sha256: string): Promise<ApiKey | undefined> {
    const key = await this.#directory.find(sha256);
    if (key !== undefined) this.#uses.note(key.id);
    return key;
  }
}
