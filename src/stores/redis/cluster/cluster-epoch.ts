import { randomBytes } from 'node:crypto';
import { assetText } from '../../../assets.ts';
import { CountersError } from '../../../limiter/counters.ts';
import type { StoreEpoch } from '../../checkpoints/quota-checkpoint.ts';
import { scriptOf } from '../script.ts';
import type { CallerPart, ScriptCaller } from '../script-caller.ts';

const MARK_BYTES = 12;

/** Under the lowest partition tag that the shard has. */
export function epochKeyOf(tag: string): string {
  return `${tag}:epoch`;
}

/**
 * A mark of lua/epoch.lua in each shard, since each loses by itself what is counted there. The mark of the
 * whole is all of theirs; one that is away keeps the mark that it had, and is looked at when it is back.
 * Where slots have changed hands a mark may be missing although nothing was lost: then quotas are restored
 * that need not be, which changes nothing.
 */
export class ClusterEpoch implements StoreEpoch {
  readonly #caller: ScriptCaller;
  readonly #parts: () => readonly CallerPart[];
  readonly #script = scriptOf(assetText('lua/epoch.lua'));
  /** The last mark of each shard, by its tag. */
  readonly #marks = new Map<string, string>();
  /** The marks under which this node saw shards whole. */
  readonly #seen = new Map<string, string>();
  #hasLost = false;
  /** Tags of the shards whose restoring was begun here. */
  #begun: ReadonlySet<string> = new Set();

  constructor(caller: ScriptCaller, parts: () => readonly CallerPart[]) {
    this.#caller = caller;
    this.#parts = parts;
  }

  async look(): Promise<string | undefined> {
    const looks = await this.#eachReachable((tag) => this.#call(tag, 'look', ''));
    if (looks.size === 0)
      throw new CountersError('unavailable', 'Redis: no shard of the cluster can be asked');
    this.#hasLost = Array.from(looks).some(([tag, mark]) => (this.#seen.get(tag) ?? mark) !== mark);
    for (const [tag, mark] of looks) this.#see(tag, mark);
    if ([...looks.values()].includes('')) return undefined;
    return this.#whole(looks);
  }

  hasLost(): boolean {
    return this.#hasLost;
  }

  async begin(): Promise<string> {
    const fresh = randomBytes(MARK_BYTES).toString('base64url');
    const begun = await this.#eachReachable((tag) => this.#call(tag, 'begin', fresh));
    this.#begun = new Set(begun.keys());
    return this.#whole(begun);
  }

  async finish(_mark: string): Promise<boolean> {
    const ends = await Promise.all(
      Array.from(this.#begun, async (tag) => {
        const known = this.#marks.get(tag) ?? '';
        const isWhole = (await this.#call(tag, 'finish', known)) === known;
        if (isWhole) this.#see(tag, known);
        return isWhole;
      }),
    );
    return ends.every((isWhole) => isWhole);
  }

  onConnect(listener: () => void): void {
    this.#caller.onConnect(listener);
  }

  /**
   * The shard of this key was away when restoring began: it is restored by itself when it is back. Nobody may have
   * the slot at all, which must not keep the others waiting.
   */
  isLeftOut(key: string): boolean {
    const part = this.#parts().find(({ has }) => has(key));
    return part === undefined || !this.#begun.has(part.tag);
  }

  async #eachReachable(call: (tag: string) => Promise<string>): Promise<ReadonlyMap<string, string>> {
    const reached = new Map<string, string>();
    await Promise.all(
      this.#parts().map(async ({ tag, isConnected }) => {
        if (!isConnected) return;
        try {
          reached.set(tag, await call(tag));
        } catch (error) {
          if (!(error instanceof CountersError)) throw error;
        }
      }),
    );
    return reached;
  }

  #whole(marks: ReadonlyMap<string, string>): string {
    const parts = this.#parts();
    for (const [tag, mark] of marks) this.#marks.set(tag, mark);
    for (const tag of this.#marks.keys()) {
      if (parts.some((part) => part.tag === tag)) continue;
      this.#marks.delete(tag);
      this.#seen.delete(tag);
    }
    return Array.from(this.#marks, ([tag, mark]) => `${tag}${mark}`)
      .sort()
      .join(' ');
  }

  /** An empty one is gone: that is a loss once. */
  #see(tag: string, mark: string): void {
    if (mark === '') this.#seen.delete(tag);
    else this.#seen.set(tag, mark);
  }

  #call(tag: string, call: 'look' | 'begin' | 'finish', mark: string): Promise<string> {
    const key = epochKeyOf(tag);
    return this.#caller.within(key, async (attempt) =>
      String(await attempt().evaluate(this.#script, [key], [call, mark])),
    );
  }
}
