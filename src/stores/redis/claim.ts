import { assetText } from '../../assets.ts';
import { CountersError } from '../../limiter/counters.ts';
import { scriptOf } from './script.ts';
import type { ScriptCaller } from './script-caller.ts';

const OWNER_KEY = '{brume}owner';
const NODES_KEY = '{brume}owner-nodes';

type Call = 'claim' | 'release' | 'look' | 'nodes';
/** The key of the owner, and that of its nodes. */
type Place = readonly [owner: string, nodes: string];

/**
 * The claim of lua/owner.lua on a Redis. In a cluster it stands in each shard, so that none that is away takes
 * it along: it is held where any shard that can be asked has it, and not where any has another one's.
 */
export class Claim {
  readonly #caller: ScriptCaller;
  readonly #script = scriptOf(assetText('lua/owner.lua'));

  constructor(caller: ScriptCaller) {
    this.#caller = caller;
  }

  /** Resolves with the holder of another's claim, or an empty text. Rejects with a CountersError. */
  async take(...names: readonly string[]): Promise<string> {
    const [first, ...others] = this.#places();
    // Of two that claim at the same time the first shard has one wait, before it has a claim anywhere else.
    const decided = first === undefined ? [] : [await this.#ask(first, 'claim', names)];
    if (decided.some(isRival)) return rivalOf(decided);
    return rivalOf([
      ...decided,
      ...(await Promise.all(others.map((place) => this.#ask(place, 'claim', names)))),
    ]);
  }

  /** Never rejects: what isn't heard runs out. */
  async release(...names: readonly string[]): Promise<void> {
    await Promise.all(this.#places().map((place) => this.#ask(place, 'release', names)));
  }

  /** `INSTALLATION HOLDER`, or an empty text. Rejects with a CountersError. */
  async look(): Promise<string> {
    return rivalOf(await Promise.all(this.#places().map((place) => this.#ask(place, 'look', []))));
  }

  /** The ids of the nodes that have taken it anywhere. Rejects with a CountersError where one can't be asked. */
  async nodes(): Promise<ReadonlySet<string>> {
    const answers = await Promise.all(this.#places().map((place) => this.#evaluate(place, 'nodes', [])));
    if (answers.length === 0) throw new CountersError('unavailable', NOBODY);
    return new Set(answers.flat().map(String));
  }

  #places(): readonly Place[] {
    const { parts } = this.#caller;
    if (parts === undefined) return [[OWNER_KEY, NODES_KEY]];
    const tags = parts().flatMap(({ tag, isConnected }) => (isConnected ? [tag] : []));
    return tags.sort().map((tag) => [`${tag}:owner`, `${tag}:owner-nodes`]);
  }

  async #ask(place: Place, call: Call, names: readonly string[]): Promise<Answer> {
    try {
      return { text: String(await this.#evaluate(place, call, names)) };
    } catch (error) {
      if (!(error instanceof CountersError)) throw error;
      return { error };
    }
  }

  #evaluate(place: Place, call: Call, names: readonly string[]): Promise<unknown> {
    return this.#caller.within(place[0], (attempt) =>
      attempt().evaluate(this.#script, place, [call, ...names]),
    );
  }
}

const NOBODY = 'Redis: no shard of the cluster can be asked';

type Answer = { readonly text: string } | { readonly error: CountersError };

function isRival(answer: Answer): boolean {
  return 'text' in answer && answer.text !== '';
}

/** Who is away says nothing, as long as anybody says something. */
function rivalOf(answers: readonly Answer[]): string {
  const texts = answers.flatMap((answer) => ('text' in answer ? [answer.text] : []));
  if (texts.length > 0) return texts.find((text) => text !== '') ?? '';
  const failed = answers.find((answer) => 'error' in answer);
  throw failed?.error ?? new CountersError('unavailable', NOBODY);
}
