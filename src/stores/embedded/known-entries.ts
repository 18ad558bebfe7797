import { existsSync } from 'node:fs';
import { CounterFile } from '../sql/counter-file.ts';
import { type LoadedEntries, type LoadOptions, loadEntries } from './load-entries.ts';
import { FORMAT_VERSION } from './stored-entry.ts';

/** The entries of a file up to one of its batches. */
export interface KnownEntries extends LoadedEntries {
  /** Not all of it is in the file. */
  readonly isRewriteWanted?: boolean;
}

/**
 * Reads the counters while another process still counts in this directory, so that whoever takes them over
 * has only the rest to read. The file stays open until that is done: whoever closes it last writes all of the
 * write-ahead log back first, which takes long.
 */
export class CountersReadAhead {
  readonly #file: CounterFile;
  readonly #options: Omit<LoadOptions, 'known'>;
  #known: LoadedEntries | undefined;

  private constructor(file: CounterFile, options: Omit<LoadOptions, 'known'>) {
    this.#file = file;
    this.#options = options;
  }

  /** Undefined if nothing was written yet. Rejects with StateDirError, also if a newer Brume wrote the file. */
  static async open({
    stateDir,
    ...options
  }: Omit<LoadOptions, 'known'> & { readonly stateDir: string }): Promise<CountersReadAhead | undefined> {
    if (!existsSync(CounterFile.pathIn(stateDir))) return undefined;
    const file = await CounterFile.openBeside({ stateDir, formatVersion: FORMAT_VERSION });
    return file && new CountersReadAhead(file, options);
  }

  get known(): KnownEntries | undefined {
    return this.#known;
  }

  /** All that is written by now; the second time, what has been since the first. */
  async read(): Promise<void> {
    this.#known = await loadEntries(this.#file, { ...this.#options, known: this.#known });
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
