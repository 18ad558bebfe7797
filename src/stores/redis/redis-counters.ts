import { BrumeError } from '../../errors/catalogue.ts';
import {
  type CounterCheck,
  type CounterOutcome,
  CountersError,
  type HeldLease,
  OutdatedConfiguration,
  type Settlement,
  type Settling,
} from '../../limiter/counters.ts';
import type { CountersCondition } from '../../limiter/counters-condition.ts';
import type { Merge, Standing } from '../../limiter/merge.ts';
import type { RedisStats } from '../../telemetry/metrics/store-stats.ts';
import type { QuotaCheckpoint, StoreEpoch } from '../checkpoints/quota-checkpoint.ts';
import {
  loadAnnounceScript,
  loadCheckScript,
  loadLeaseScript,
  loadResetScript,
  loadSettleScript,
} from './check-script.ts';
import { ClusterEpoch } from './cluster/cluster-epoch.ts';
import { SpreadBatches } from './cluster/spread-batches.ts';
import { decodeReply, decodeSettling, type ScriptAnswer, type ScriptReply } from './decode-reply.ts';
import { type CallTerms, encodeCall, encodeSettling, type SettledRequest } from './encode-call.ts';
import { Merging } from './merging.ts';
import { openScriptCaller, type ScriptCallerOptions } from './open-caller.ts';
import type { TellingCounters } from './owned-counters.ts';
import { RedisEpoch } from './redis-epoch.ts';
import { Restoring } from './restoring.ts';
import type { Attempt, CallTiming, ScriptCaller } from './script-caller.ts';
import { leasesKey, stateKey, tagOf } from './script-keys.ts';
import { TurnBatches } from './turn-batches.ts';

export interface RedisCountersOptions extends ScriptCallerOptions {
  /** Within which time every node has read a change of the configuration; 1,000 ms if absent. */
  readonly propagationMs?: number;
  /** Tests only: the store time that the script is told to take for now. */
  readonly injectedNowMs?: () => number;
}

/** A change is announced for so long, and for twice the time in which it reaches every node. */
const ANNOUNCED_MS_MIN = 10_000;

/**
 * Counters in Redis. All checks of one turn of the event loop travel together, at most 64 in a script
 * call, which judges them in order, each atomically (lua/check.lua).
 */
export class RedisCounters implements TellingCounters {
  readonly epoch: StoreEpoch;
  readonly #caller: ScriptCaller;
  readonly #checkScript = loadCheckScript();
  readonly #announceScript = loadAnnounceScript();
  readonly #settleScript = loadSettleScript();
  readonly #merging: Merging;
  readonly #leaseScript = loadLeaseScript();
  readonly #resetScript = loadResetScript();
  readonly #restoring: Restoring;
  readonly #injectedNowMs: (() => number) | undefined;
  readonly #announcedMs: number;
  readonly #batches: TurnBatches;
  /** Absent: all keys can be in one call. */
  readonly #spread: SpreadBatches | undefined;

  /** Returns at once; while Redis is away, checks are rejected as 'unavailable'. */
  static connect(options: RedisCountersOptions): RedisCounters {
    return new RedisCounters(options);
  }

  private constructor(options: RedisCountersOptions) {
    this.#caller = openScriptCaller(options);
    const { groupOf, parts } = this.#caller;
    const clusterEpoch = parts && new ClusterEpoch(this.#caller, parts);
    this.epoch = clusterEpoch ?? new RedisEpoch(this.#caller);
    this.#restoring = new Restoring({
      caller: this.#caller,
      injectedNowMs: options.injectedNowMs,
      isLeftOut: (key) => clusterEpoch?.isLeftOut(key) ?? false,
    });
    const judgeEach = (checks: readonly CounterCheck[], timing: CallTiming) =>
      this.#judge(checks, { isAtomic: false, ...timing });
    this.#batches = new TurnBatches({
      ...options,
      groupOf,
      judge: async (checks, timing) =>
        (await judgeEach(checks, timing)).map((answer) => () => outcomeOrThrow(answer)),
    });
    this.#spread =
      groupOf &&
      new SpreadBatches({
        ...options,
        // Also where a slot is on its way: what is atomic isn't taken apart for that.
        groupOf: tagOf,
        judge: (checks, timing) => this.#judge(checks, { isAtomic: true, ...timing }),
        look: judgeEach,
        settle: (settling, timing) => this.#settle(settling, timing),
      });
    this.#merging = new Merging(this.#caller, (attempt) => this.#terms(attempt));
    this.#injectedNowMs = options.injectedNowMs;
    this.#announcedMs = Math.max(ANNOUNCED_MS_MIN, 2 * (options.propagationMs ?? 1000));
  }

  /** Resolves with true when Redis can be called for the first time, with false if the first try has failed. */
  firstTry(): Promise<boolean> {
    return this.#caller.firstTry();
  }

  check(check: CounterCheck): Promise<CounterOutcome> {
    return this.#batches.check(check);
  }

  async checkAtomically(checks: readonly CounterCheck[]): Promise<readonly CounterOutcome[]> {
    const answers = await (this.#spread?.judge(checks) ?? this.#judge(checks, { isAtomic: true }));
    return answers.map(outcomeOrThrow);
  }

  async reset(key: string): Promise<void> {
    await this.forget(key);
  }

  forget(key: string): Promise<number> {
    const state = stateKey(key);
    return this.#caller.within(state, async (attempt) => {
      const { deadlineMs, evaluate } = attempt();
      const doneMs = await evaluate(this.#resetScript, [state], [String(deadlineMs)]);
      if (doneMs === 0) throw tooLate('reset');
      return Number(doneMs);
    });
  }

  settle(settling: Settling): Promise<Settlement | undefined> {
    return this.#settle(settling, {});
  }

  restore(checkpoints: readonly QuotaCheckpoint[]): Promise<number> {
    return this.#restoring.restore(checkpoints);
  }

  merge(merges: readonly Merge[]): Promise<readonly (Standing | CountersError)[]> {
    return this.#merging.merge(merges);
  }

  async renewLease(key: string, holder: string): Promise<HeldLease | undefined> {
    const [expiresMs] = await this.#lease(key, 'renew', holder);
    return expiresMs === 0 ? undefined : { holder, expiresMs: Number(expiresMs) };
  }

  async releaseLease(key: string, holder: string): Promise<void> {
    await this.#lease(key, 'release', holder);
  }

  async listLeases(key: string): Promise<readonly HeldLease[]> {
    const flat = await this.#lease(key, 'list');
    return flat.flatMap((holder, index) =>
      index % 2 === 0 ? [{ holder: String(holder), expiresMs: Number(flat[index + 1]) }] : [],
    );
  }

  async announce(key: string, revision: number): Promise<void> {
    const state = stateKey(key);
    await this.#caller.within(state, async (attempt) => {
      const now = attempt();
      const args = [...this.#times(now), String(revision), String(this.#announcedMs)];
      const reply = await now.evaluate(this.#announceScript, [state], args);
      if (!Array.isArray(reply) || reply[1] !== 1) throw tooLate('announcement');
    });
  }

  nowMs(): number {
    return this.#injectedNowMs?.() ?? this.#caller.storeNowMs();
  }

  stats(): RedisStats {
    return this.#caller.stats();
  }

  /** As a check would find it. Never rejects. */
  condition(): Promise<CountersCondition> {
    return this.#caller.condition();
  }

  async ping(key?: string): Promise<boolean> {
    const { state } = await this.#caller.condition(key);
    return state === 'available' || state === 'partly_available';
  }

  partOf(key: string): string {
    return this.#caller.partOf?.(key) ?? '';
  }

  async close(): Promise<void> {
    this.#spread?.close();
    this.#caller.close();
  }

  async #lease(key: string, call: 'renew' | 'release' | 'list', holder = ''): Promise<readonly unknown[]> {
    const leases = leasesKey(key);
    return this.#caller.within(leases, async (attempt) => {
      const now = attempt();
      const reply = await now.evaluate(this.#leaseScript, [leases], [...this.#times(now), call, holder]);
      if (!Array.isArray(reply) || reply[1] !== 1) {
        throw tooLate(`call to ${call} a lease`);
      }
      return reply.slice(2);
    });
  }

  #judge(
    checks: readonly CounterCheck[],
    { isAtomic, ...timing }: CallTiming & { readonly isAtomic: boolean },
  ): Promise<readonly ScriptAnswer[]> {
    const [first] = checks as readonly [CounterCheck];
    const judgeOnce = async (attempt: Attempt) => {
      const { answers } = await this.#call(checks, isAtomic, attempt);
      return answers === 'late' || answers === 'misdated' ? undefined : answers;
    };
    return this.#twice('check', stateKey(first.key), judgeOnce, timing);
  }

  async #settle(settling: SettledRequest, timing: CallTiming): Promise<Settlement | undefined> {
    const settleOnce = (attempt: Attempt) => this.#settleOnce(settling, attempt);
    const { answer } = await this.#twice('settlement', stateKey(settling.key), settleOnce, timing);
    return answer;
  }

  /**
   * By an outdated estimate (the clock of Redis stepped) a call can come too late or with the wrong
   * periods, and is undefined: it did nothing, and is made once more if there is time.
   */
  #twice<Reply>(
    name: string,
    key: string,
    call: (attempt: Attempt) => Promise<Reply | undefined>,
    timing?: CallTiming,
  ): Promise<Reply> {
    const twice = async (attempt: () => Attempt) => {
      const reply = (await call(attempt())) ?? (await call(attempt()));
      if (reply === undefined) throw tooLate(name);
      return reply;
    };
    return this.#caller.within(key, twice, timing);
  }

  async #settleOnce(
    settling: SettledRequest,
    attempt: Attempt,
  ): Promise<{ readonly answer: Settlement | undefined } | undefined> {
    const { keys, args } = encodeSettling(settling, this.#terms(attempt));
    const { nowMs, answer } = decodeSettling(await attempt.evaluate(this.#settleScript, keys, args));
    if (this.#injectedNowMs === undefined) attempt.observe(nowMs);
    if (answer === 'late' || answer === 'misdated') return undefined;
    if (answer === 'corrupt') throw damaged();
    return { answer };
  }

  /** now and deadline, as lua/clock.lua takes them. */
  #times({ deadlineMs }: Attempt): [string, string] {
    const nowMs = this.#injectedNowMs?.();
    return nowMs === undefined ? ['', String(deadlineMs)] : [String(nowMs), ''];
  }

  /** The times by which a script goes: the store's own, or in tests the one that is injected. */
  #terms({ storeNowMs, deadlineMs }: Attempt): CallTerms {
    const nowMs = this.#injectedNowMs?.();
    return nowMs === undefined ? { expectedMs: storeNowMs, deadlineMs } : { expectedMs: nowMs, nowMs };
  }

  async #call(checks: readonly CounterCheck[], isAtomic: boolean, attempt: Attempt): Promise<ScriptReply> {
    const { keys, args } = encodeCall(checks, { ...this.#terms(attempt), isAtomic });
    const reply = decodeReply(await attempt.evaluate(this.#checkScript, keys, args), checks);
    if (this.#injectedNowMs === undefined) attempt.observe(reply.nowMs);
    return reply;
  }
}

function outcomeOrThrow(answer: ScriptAnswer | undefined): CounterOutcome {
  if (answer === 'outdated') throw new OutdatedConfiguration();
  if (answer === 'reused') throw new BrumeError('request_id_reused', { field: 'requestId' });
  if (answer === 'reservations_full') throw new BrumeError('reservations_full', { field: 'identifier' });
  if (answer === undefined || answer === 'corrupt') throw damaged();
  return answer;
}

function damaged(): CountersError {
  return new CountersError('corrupt', 'the stored state was damaged; it has been removed and counts anew');
}

function tooLate(call: string): CountersError {
  return new CountersError('timeout', `the ${call} reached Redis too late and did nothing`);
}
