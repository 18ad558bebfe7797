import { CountersError } from '../../limiter/counters.ts';
import type { QuotaCheckpoint } from '../checkpoints/quota-checkpoint.ts';
import { loadRestoreScript } from './check-script.ts';
import { encodeRestore } from './restore-call.ts';
import type { ScriptCaller } from './script-caller.ts';
import { stateKey } from './script-keys.ts';

export interface RestoringParts {
  readonly caller: Pick<ScriptCaller, 'within' | 'groupOf'>;
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
    const { groupOf } = this.#parts.caller;
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
    const { caller, injectedNowMs, isLeftOut } = this.#parts;
    const [first] = checkpoints as readonly [QuotaCheckpoint];
    try {
      return await caller.within(stateKey(first.key), async (attempt) => {
        const { deadlineMs, evaluate } = attempt();
        const nowMs = injectedNowMs?.();
        const { keys, args } = encodeRestore(checkpoints, nowMs === undefined ? { deadlineMs } : { nowMs });
        const reply = await evaluate(this.#script, keys, args);
        if (!Array.isArray(reply) || reply[1] !== 1) {
          throw new CountersError('timeout', 'the restoring reached Redis too late and did nothing');
        }
        return Number(reply[2]);
      });
    } catch (error) {
      if (!isLeftOut(first.key)) throw error;
      return 0;
    }
  }
}
