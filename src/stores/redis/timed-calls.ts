import { CountersError } from '../../limiter/counters.ts';
import type { CallTerms } from './encode-call.ts';
import type { Script } from './script.ts';
import type { Attempt, CallTiming, ScriptCaller } from './script-caller.ts';

/**
 * Calls scripts by the store's time. A call carries the time after which it must do nothing, made of this node's
 * estimate; every reply begins with the store's own (`[now, …]`), from which the estimate goes on. So it is right
 * at the second try at the latest, whatever the call, also after a clock that stepped or a greeting that was slow.
 */
export class TimedCalls {
  readonly #caller: Pick<ScriptCaller, 'within'>;
  readonly #injectedNowMs: (() => number) | undefined;

  /** `injectedNowMs`: tests only, the time that the scripts are told to take for now. */
  constructor(caller: Pick<ScriptCaller, 'within'>, injectedNowMs?: () => number) {
    this.#caller = caller;
    this.#injectedNowMs = injectedNowMs;
  }

  /**
   * As `within`, for a `call` that resolves with undefined where it came too late, or with the wrong periods, and
   * did nothing: it is made once more, if there is time. Rejects if that was too late, too.
   *
   * @param name what reached Redis too late, for that error
   */
  twice<Reply>(
    name: string,
    key: string,
    call: (attempt: Attempt) => Promise<Reply | undefined>,
    timing?: CallTiming,
  ): Promise<Reply> {
    const twice = async (attempt: () => Attempt) => {
      const reply = (await call(attempt())) ?? (await call(attempt()));
      if (reply === undefined)
        throw new CountersError('timeout', `the ${name} reached Redis too late and did nothing`);
      return reply;
    };
    return this.#caller.within(key, twice, timing);
  }

  /** The reply as it came. */
  async evaluate(
    attempt: Attempt,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const reply = await attempt.evaluate(script, keys, args);
    const nowMs = timeOf(reply);
    if (this.#injectedNowMs === undefined && Number.isFinite(nowMs)) attempt.observe(nowMs);
    return reply;
  }

  /** now and deadline, as lua/clock.lua takes them. */
  times({ deadlineMs }: Attempt): [string, string] {
    const nowMs = this.#injectedNowMs?.();
    return nowMs === undefined ? ['', String(deadlineMs)] : [String(nowMs), ''];
  }

  /** The times by which a script goes: the store's own, or in tests the one that is injected. */
  terms({ storeNowMs, deadlineMs }: Attempt): CallTerms {
    const nowMs = this.#injectedNowMs?.();
    return nowMs === undefined ? { expectedMs: storeNowMs, deadlineMs } : { expectedMs: nowMs, nowMs };
  }
}

/** Epoch milliseconds by the store's time; NaN of what is no reply of a script. */
export function timeOf(reply: unknown): number {
  return Array.isArray(reply) ? Number(reply[0]) : Number.NaN;
}

/** What follows `[now, 1]`; undefined of `[now, 0]`: it came too late and did nothing. */
export function inTime(reply: unknown): readonly unknown[] | undefined {
  return Array.isArray(reply) && Number(reply[1]) === 1 ? reply.slice(2) : undefined;
}
