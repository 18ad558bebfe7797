import type { QuotaCheckpoint } from '../checkpoints/quota-checkpoint.ts';
import { loadRestoreScript } from './check-script.ts';
import { encodeRestore } from './restore-call.ts';
import type { ScriptCaller } from './script-caller.ts';
import { stateKey } from './script-keys.ts';
import { inTime, type TimedCalls } from './timed-calls.ts';

export interface RestoringParts {
  readonly calls: TimedCalls;
  readonly groupOf: ScriptCaller['groupOf'];
  /** Tests only: see RedisCountersOptions. */
  readonly injectedNowMs: (() => number) | undefined;
  /** What can't be restored now will be by itself. */
  readonly isLeftOut: (key: string) => boolean;
}

/** So many checkpoints are restored in one call. */
const RESTORED_MAX = 64;

/** Calls lua/restore.lua. */
export class Restoring {
  readonly #parts: RestoringParts;
  readonly #script = loadRestoreScript();

  constructor(parts: RestoringParts) {
    this.#parts = parts;
  }

  /** Resolves with how many counts it raised. Rejects with a CountersError. */
  async restore(checkpoints: readonly QuotaCheckpoint[]): Promise<number> {
    const { groupOf } = this.#parts;
    const groups =
      groupOf === undefined ? [checkpoints] : Map.groupBy(checkpoints, ({ key }) => groupOf(key)).values();
    let raised = 0;
    for (const group of groups) {
      for (let first = 0; first < group.length; first += RESTORED_MAX) {
        raised += await this.#restoreBatch(group.slice(first, first + RESTORED_MAX));
      }
    }
    return raised;
  }

  async #restoreBatch(checkpoints: readonly QuotaCheckpoint[]): Promise<number> {
    const { calls, injectedNowMs, isLeftOut } = this.#parts;
    const [first] = checkpoints as readonly [QuotaCheckpoint];
    try {
      const [raised] = await calls.twice('restoring', stateKey(first.key), async (attempt) => {
        const { deadlineMs } = attempt;
        const nowMs = injectedNowMs?.();
        const { keys, args } = encodeRestore(checkpoints, nowMs === undefined ? { deadlineMs } : { nowMs });
        return inTime(await calls.evaluate(attempt, this.#script, keys, args));
      });
      return Number(raised);
    } catch (error) {
      if (!isLeftOut(first.key)) throw error;
      return 0;
    }
  }
}
