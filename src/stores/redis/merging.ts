import { messageOf } from '../../errors/message-of.ts';
import { CountersError } from '../../limiter/counters.ts';
import type { Merge, Standing } from '../../limiter/merge.ts';
import { loadMergeScript } from './check-script.ts';
import { decodeMerged, encodeMerge } from './merge-call.ts';
import { type Attempt, type ScriptCaller, SlotMoving } from './script-caller.ts';
import { stateKey } from './script-keys.ts';
import type { TimedCalls } from './timed-calls.ts';

type Answer = Standing | CountersError;

/** Calls lua/merge.lua. What may have run is never sent again. */
export class Merging {
  readonly #calls: TimedCalls;
  readonly #groupOf: ScriptCaller['groupOf'];
  readonly #script = loadMergeScript();

  constructor(calls: TimedCalls, groupOf: ScriptCaller['groupOf']) {
    this.#calls = calls;
    this.#groupOf = groupOf;
  }

  /** One call, or one for each group of keys that can be in one. */
  async merge(merges: readonly Merge[]): Promise<readonly Answer[]> {
    const groupOf = this.#groupOf;
    if (groupOf === undefined) return this.#mergeTogether(merges);
    const groups = [...Map.groupBy(merges, ({ key }) => groupOf(key)).values()];
    return this.#inTurn(merges, groups);
  }

  /** One group after the other, between which Redis can serve others; the answers in the order of all. */
  async #inTurn(all: readonly Merge[], groups: readonly (readonly Merge[])[]): Promise<readonly Answer[]> {
    const answers = new Map<Merge, Answer>();
    for (const group of groups) {
      const ofGroup = await this.#mergeTogether(group);
      group.forEach((merge, index) => {
        answers.set(merge, ofGroup[index] as Answer);
      });
    }
    return all.map((merge) => answers.get(merge) as Answer);
  }

  /** In one call, or where some of the keys are on their way to another server each by itself. Never rejects. */
  async #mergeTogether(merges: readonly Merge[]): Promise<readonly Answer[]> {
    const [first] = merges as readonly [Merge];
    const isDivisible = merges.length > 1;
    let isSent = false;
    const call = async (attempt: Attempt) => {
      const { keys, args } = encodeMerge(merges, this.#calls.terms(attempt));
      isSent = true;
      const standings = decodeMerged(await this.#calls.evaluate(attempt, this.#script, keys, args), merges);
      isSent = standings !== undefined;
      return standings;
    };
    try {
      return await this.#calls.twice('merge', stateKey(first.key), call, { isDivisible });
    } catch (error) {
      if (isDivisible && error instanceof SlotMoving) {
        return this.#inTurn(
          merges,
          merges.map((merge) => [merge]),
        );
      }
      const fault = new CountersError(faultOf(error, isSent), messageOf(error), { cause: error });
      return merges.map(() => fault);
    }
  }
}

function faultOf(error: unknown, isSent: boolean): CountersError['fault'] {
  if (isSent && !isRefusal(error)) return 'timeout';
  const fault = error instanceof CountersError ? error.fault : 'unavailable';
  return fault === 'timeout' ? 'unavailable' : fault;
}

/** The server said no, or the call never left this process; a connection that broke tells nothing. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof CountersError ? error.cause : undefined;
  return cause instanceof Error && (cause.name === 'ReplyError' || /isn't writeable/.test(cause.message));
}
