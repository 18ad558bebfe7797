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
import { encodeCall, encodeSettling, type SettledRequest } from './encode-call.ts';
import { Merging } from './merging.ts';
import { openScriptCaller, type ScriptCallerOptions } from './open-caller.ts';
import type { TellingCounters } from './owned-counters.ts';
import { RedisEpoch } from './redis-epoch.ts';
import { Restoring } from './restoring.ts';
import type { Attempt, CallTiming, ScriptCaller } from './script-caller.ts';
import { leasesKey, stateKey, tagOf } from './script-keys.ts';
import { inTime, TimedCalls, timeOf } from './timed-calls.ts';
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
  readonly #calls: TimedCalls;
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
    this.#calls = new TimedCalls(this.#caller, options.injectedNowMs);
    const { groupOf, parts } = this.#caller;
    const clusterEpoch = parts && new ClusterEpoch(this.#caller, parts);
    this.epoch = clusterEpoch ?? new RedisEpoch(this.#caller);
    this.#restoring = new Restoring({
      calls: this.#calls,
      groupOf,
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
    this.#merging = new Merging(this.#calls, groupOf);
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
    return this.#calls.twice('reset', state, async (attempt) => {
      const args = [String(attempt.deadlineMs)];
      const reply = await this.#calls.evaluate(attempt, this.#resetScript, [state], args);
      return inTime(reply) === undefined ? undefined : timeOf(reply);
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
    await this.#calls.twice('announcement', state, async (attempt) => {
      const args = [...this.#calls.times(attempt), String(revision), String(this.#announcedMs)];
      return inTime(await this.#calls.evaluate(attempt, this.#announceScript, [state], args));
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
    return this.#calls.twice(`call to ${call} a lease`, leases, async (attempt) => {
      const args = [...this.#calls.times(attempt), call, holder];
      return inTime(await this.#calls.evaluate(attempt, this.#leaseScript, [leases], args));
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
    return this.#calls.twice('check', stateKey(first.key), judgeOnce, timing);
  }

  async #settle(settling: SettledRequest, timing: CallTiming): Promise<Settlement | undefined> {
    const settleOnce = (attempt: Attempt) => this.#settleOnce(settling, attempt);
    const { answer } = await this.#calls.twice('settlement', stateKey(settling.key), settleOnce, timing);
    return answer;
  }

  async #settleOnce(
    settling: SettledRequest,
    attempt: Attempt,
  ): Promise<{ readonly answer: Settlement | undefined } | undefined> {
    const { keys, args } = encodeSettling(settling, this.#calls.terms(attempt));
    const { answer } = decodeSettling(await this.#calls.evaluate(attempt, this.#settleScript, keys, args));
    if (answer === 'late' || answer === 'misdated') return undefined;
    if (answer === 'corrupt') throw damaged();
    return { answer };
  }

  async #call(checks: readonly CounterCheck[], isAtomic: boolean, attempt: Attempt): Promise<ScriptReply> {
    const { keys, args } = encodeCall(checks, { ...this.#calls.terms(attempt), isAtomic });
    return decodeReply(await this.#calls.evaluate(attempt, this.#checkScript, keys, args), checks);
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
