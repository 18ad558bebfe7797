import { ttlOf } from '../../limiter/algorithms/concurrency.ts';
import type { Clock } from '../../limiter/clock.ts';
import {
  type CounterCheck,
  type CounterOutcome,
  type Counters,
  CountersError,
  type HeldLease,
  type Settlement,
  type Settling,
} from '../../limiter/counters.ts';
import { NOTHING_HELD } from '../../limiter/held.ts';
import type { Seen } from '../../limiter/local/seed.ts';
import type { MergingCounters } from '../../limiter/merge.ts';
import { RecentMap } from '../../limiter/recent-map.ts';
import type { LocalStats } from '../../telemetry/metrics/store-stats.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import { LocalEpisode } from './local-episode.ts';
import { LocalJudge } from './local-judge.ts';
import { LocalMerger } from './local-merger.ts';
import { type LocalEntry, LocalTable } from './local-table.ts';
import { MergeRounds } from './merge-rounds.ts';

export interface LocalCountersOptions {
  /** Taken over: closing these closes them. */
  readonly counters: MergingCounters;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
  /** How many nodes share the store, this one included; the last number known. */
  readonly liveNodes: () => number;
  /** Most identifiers that are judged by this node at once, and of which it remembers how they stood. */
  readonly identifiersMax: number;
}

/**
 * Counters whose node judges by itself, where the check says so and the store gives no answer: by its
 * share of each limit, from what it last saw used. What it admits so is merged into the store before the
 * store judges that identifier again, and for all of them as soon as it answers.
 */
export class LocalCounters implements Counters {
  readonly #options: LocalCountersOptions;
  readonly #counters: MergingCounters;
  readonly #seen: RecentMap<Seen>;
  readonly #table: LocalTable;
  readonly #judge: LocalJudge;
  readonly #merger: LocalMerger;
  readonly #episode: LocalEpisode;
  readonly #rounds: MergeRounds;
  /** The store's time less the monotonic one; undefined before it has answered, or been missed, once. */
  #offsetMs: number | undefined;
  /** By the part of the store, with what it failed last; without those that have answered since. */
  readonly #away = new Map<string, CountersError>();

  constructor(options: LocalCountersOptions) {
    const { counters, clock, log, liveNodes, identifiersMax } = options;
    this.#options = options;
    this.#counters = counters;
    this.#seen = new RecentMap(identifiersMax);
    this.#table = new LocalTable(identifiersMax);
    this.#judge = new LocalJudge({ table: this.#table, seen: (key) => this.#seen.get(key), liveNodes });
    this.#merger = new LocalMerger({
      counters,
      table: this.#table,
      liveNodes,
      nowMs: () => this.#localNowMs(),
      onSeen: (key, seen) => this.#note(key, seen),
    });
    this.#episode = new LocalEpisode({ clock, log, liveNodes, counts: () => this.#merger.counts });
    this.#rounds = new MergeRounds({
      table: this.#table,
      merger: this.#merger,
      timers: options.timers,
      partOf: (key) => this.#partOf(key),
      ping: (key) => counters.ping(key),
      onAnswer: (part) => this.#away.delete(part),
      onFault: (fault, key) => this.#missed(fault, [key]),
      onDone: () => this.#episode.end(0),
    });
  }

  stats(): LocalStats {
    const { size: identifiers, unsureSize: unsure } = this.#table;
    return { identifiers, unsure, ...this.#episode.totals, ...this.#merger.counts };
  }

  check(check: CounterCheck): Promise<CounterOutcome> {
    if (check.fallback === undefined || check.ruling !== undefined) return this.#counters.check(check);
    return this.#check(check);
  }

  async checkAtomically(checks: readonly CounterCheck[]): Promise<readonly CounterOutcome[]> {
    const own = checks.filter(isJudgedHere);
    if (own.length === 0) return this.#counters.checkAtomically(checks);
    const owed = await this.#mergeFirst(own.map(({ key }) => key));
    try {
      if (owed !== undefined) throw owed;
      const outcomes = await this.#counters.checkAtomically(checks);
      checks.forEach((check, index) => {
        this.#heard(check, outcomes[index] as CounterOutcome);
      });
      return outcomes;
    } catch (error) {
      const fault = this.#missed(
        error,
        own.map(({ key }) => key),
      );
      // Where another check's namespace has another policy, nobody can promise all or none.
      if (!checks.every((check) => isJudgedHere(check) || check.ruling !== undefined)) throw fault;
      for (let wait = this.#merging(own); wait !== undefined; wait = this.#merging(own)) await wait;
      const outcomes = this.#refusing(() => this.#judge.judgeAtomically(checks, this.#terms(fault, owed)));
      checks.forEach((check, index) => {
        this.#judged(check, outcomes[index] as CounterOutcome);
      });
      return outcomes;
    }
  }

  /** What other nodes owe of this identifier is not forgotten: they merge it afterwards. */
  async reset(key: string): Promise<void> {
    for (let wait = this.#merging([{ key }]); wait !== undefined; wait = this.#merging([{ key }])) await wait;
    await this.#counters.reset(key);
    this.#seen.delete(key);
    this.#table.resetUnsure(key);
    const entry = this.#table.get(key, this.#localNowMs());
    if (entry === undefined) return;
    entry.ledger.reset();
    entry.unsure?.reset();
    entry.held = { ...NOTHING_HELD, leases: entry.held.leases };
  }

  settle(settling: Settling): Promise<Settlement | undefined> {
    return this.#counters.settle(settling);
  }

  async renewLease(key: string, holder: string): Promise<HeldLease | undefined> {
    const owed = await this.#mergeFirst([key]);
    try {
      if (owed !== undefined) throw owed;
      return await this.#counters.renewLease(key, holder);
    } catch (error) {
      const fault = this.#missed(error, [key]);
      for (let wait = this.#merging([{ key }]); wait !== undefined; wait = this.#merging([{ key }]))
        await wait;
      const entry = this.#holding(key, holder);
      if (entry === undefined) throw fault;
      const nowMs = this.#localNowMs();
      if ((entry.held.leases.get(holder) ?? 0) <= nowMs) return undefined;
      const expiresMs = nowMs + ttlOf(holder);
      entry.held = { ...entry.held, leases: new Map(entry.held.leases).set(holder, expiresMs) };
      entry.ledger.renew(holder, expiresMs);
      entry.expiresMs = Math.max(entry.expiresMs, expiresMs);
      return { holder, expiresMs };
    }
  }

  async releaseLease(key: string, holder: string): Promise<void> {
    for (let wait = this.#merging([{ key }]); wait !== undefined; wait = this.#merging([{ key }])) await wait;
    const entry = this.#holding(key, holder);
    if (entry === undefined) return this.#counters.releaseLease(key, holder);
    const leases = new Map(entry.held.leases);
    leases.delete(holder);
    entry.held = { ...entry.held, leases };
    entry.ledger.release(holder);
  }

  listLeases(key: string): Promise<readonly HeldLease[]> {
    return this.#counters.listLeases(key);
  }

  announce(key: string, revision: number): Promise<void> {
    return this.#counters.announce(key, revision);
  }

  nowMs(): number {
    return this.#counters.nowMs();
  }

  ping(key?: string): Promise<boolean> {
    return this.#counters.ping(key);
  }

  /** Merges what is owed, if the store answers. */
  async close(): Promise<void> {
    await this.#rounds.stop();
    this.#episode.end(this.#table.size);
    await this.#counters.close();
  }

  async #check(check: CounterCheck): Promise<CounterOutcome> {
    const { key } = check;
    const owed = this.#table.size > 0 ? await this.#mergeFirst([key]) : undefined;
    try {
      if (owed !== undefined) throw owed;
      const outcome = await this.#counters.check(check);
      this.#heard(check, outcome);
      return outcome;
    } catch (error) {
      const fault = this.#missed(error, [key]);
      for (let wait = this.#merging([check]); wait !== undefined; wait = this.#merging([check])) await wait;
      const outcome = this.#refusing(() => this.#judge.judge(check, this.#terms(fault, owed)));
      this.#judged(check, outcome);
      return outcome;
    }
  }

  /** What is owed of these identifiers is merged, unless their store is known to be away; undefined if it could be. */
  async #mergeFirst(keys: readonly string[]): Promise<CountersError | undefined> {
    for (const key of keys) {
      const entry = this.#table.get(key, this.#localNowMs());
      if (entry === undefined || (entry.ledger.isEmpty && entry.merging === undefined)) continue;
      const fault = this.#away.get(this.#partOf(key)) ?? (await this.#merger.merge(entry));
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /**
   * While one of them is being merged: what to wait for. To be asked again after it, until there is nothing,
   * and at once before an entry is changed: what came to it in between would be forgotten with what was merged.
   */
  #merging(keys: readonly { readonly key: string }[]): Promise<unknown> | undefined {
    for (const { key } of keys) {
      const merging = this.#table.get(key, 0)?.merging;
      if (merging !== undefined) return merging;
    }
    return undefined;
  }

  /** The entry of a place that was given here and is not merged. */
  #holding(key: string, holder: string): LocalEntry | undefined {
    const entry = this.#table.get(key, this.#localNowMs());
    return entry?.ledger.holds(holder) === true ? entry : undefined;
  }

  #heard(check: CounterCheck, outcome: CounterOutcome): void {
    if (this.#away.size > 0) this.#away.delete(this.#partOf(check.key));
    if (!isJudgedHere(check) || outcome.isRepeated) return;
    this.#note(check.key, { set: check.set, nowMs: outcome.nowMs, limits: outcome.limits });
    if (this.#table.unsureSize > 0) this.#table.sweep(outcome.nowMs);
    if (this.#table.size === 0) return;
    const entry = this.#table.get(check.key, outcome.nowMs);
    if (entry?.ledger.isEmpty === true && entry.merging === undefined) this.#table.drop(entry);
  }

  #note(key: string, seen: Seen): void {
    this.#offsetMs = seen.nowMs - this.#options.clock.monotonicMs();
    // So that the place is that of what was used last.
    this.#seen.get(key);
    this.#seen.set(key, seen);
  }

  /** What is no fault of the counters is thrown on. */
  #missed(error: unknown, keys: readonly string[]): CountersError {
    if (!(error instanceof CountersError)) throw error;
    if (error.fault === 'unavailable' || error.fault === 'timeout') {
      for (const key of keys) this.#away.set(this.#partOf(key), error);
    }
    return error;
  }

  #partOf(key: string): string {
    return this.#counters.partOf?.(key) ?? '';
  }

  #terms(fault: CountersError, owed: CountersError | undefined) {
    // A check that waited for what is owed in vain was not sent.
    const isPerhapsCounted = owed === undefined && fault.fault === 'timeout';
    return { fault, nowMs: this.#localNowMs(), isPerhapsCounted };
  }

  #refusing<Outcome>(judge: () => Outcome): Outcome {
    try {
      return judge();
    } catch (error) {
      if (error instanceof CountersError) this.#episode.refuse();
      throw error;
    }
  }

  #judged(check: CounterCheck, outcome: CounterOutcome): void {
    if (this.#table.size > 0) {
      this.#episode.begin(outcome.fault);
      this.#rounds.start();
    }
    if (!check.peek) this.#episode.count(outcome.admitted);
  }

  /** The time by which the store's windows run, as far as this node can tell; it never steps. */
  #localNowMs(): number {
    const monotonicMs = this.#options.clock.monotonicMs();
    this.#offsetMs ??= this.#counters.nowMs() - monotonicMs;
    return Math.floor(monotonicMs + this.#offsetMs);
  }
}

function isJudgedHere({ fallback, ruling }: CounterCheck): boolean {
  return fallback === 'local' && ruling === undefined;
}
