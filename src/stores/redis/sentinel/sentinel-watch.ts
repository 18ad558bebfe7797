import type { Redis } from 'ioredis';
import type { Clock } from '../../../limiter/clock.ts';
import type { StoreLog } from '../../store-log.ts';
import { placeText, type RedisEndpoint, type RedisLogin } from '../redis-address.ts';
import type { Whereabouts } from '../whereabouts.ts';
import { type Election, electedMaster } from './elected-master.ts';
import { SentinelPeer } from './sentinel-peer.ts';
import type { Selection, SentinelView } from './sentinel-view.ts';
import { Succession } from './succession.ts';

export interface SentinelWatchOptions {
  /** Those that are configured; the others are learned from them. */
  readonly sentinels: readonly RedisEndpoint[];
  readonly masterName: string;
  readonly connect: (endpoint: RedisEndpoint) => Redis;
  /** By which it connects. */
  readonly login: RedisLogin;
  /** To a server that one of them is about to promote. */
  readonly connectServer: (endpoint: RedisEndpoint) => Redis;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<StoreLog, 'info' | 'warn'>;
}

const POLL_MS = 1000;
/** While the master is doubted. */
const HURRIED_POLL_MS = 100;
const HURRY_MS = 5000;
/** So long the first answers are waited for, so that not the fastest of them alone decides. */
const FIRST_ROUND_MS = 600;
/** More than anybody runs, so that a foreign answer can't make this node connect to hundreds. */
const PEERS_MAX = 32;
/** A learned Sentinel that nobody names for so long, and that doesn't answer, is forgotten, if most do. */
const FORGET_MS = 60_000;
const WARNING_INTERVAL_MS = 30_000;

interface Kept {
  readonly peer: SentinelPeer;
  readonly isConfigured: boolean;
  namedMonotonicMs: number;
}

/** Where the Sentinels say that the master is: asked each second, and told of failovers as they happen. */
export class SentinelWatch implements Whereabouts {
  readonly #options: SentinelWatchOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #listeners: (() => void)[] = [];
  readonly #startedMs: number;
  readonly #succession: Succession;
  #election: Election | undefined;
  #hurriedUntilMs = -Infinity;
  #quietUntilMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SentinelWatchOptions) {
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
    this.#hurriedUntilMs = this.#startedMs + HURRY_MS;
    const { connectServer: connect, clock, log } = options;
    this.#succession = new Succession({ connect, clock, log, onChange: () => this.#tell() });
    for (const endpoint of options.sentinels) this.#keep(endpoint, true);
    this.#poll();
  }

  current(): RedisEndpoint | undefined {
    return this.#succession.current() ?? this.#election?.master;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  doubt(): void {
    const nowMs = this.#options.clock.monotonicMs();
    const isHurried = nowMs < this.#hurriedUntilMs;
    this.#hurriedUntilMs = nowMs + HURRY_MS;
    if (!isHurried && !this.#isClosed) this.#poll();
  }

  reachableSentinels(): number {
    return this.#views().size;
  }

  /** What each Sentinel says, by its place; undefined, with why, for one that doesn't answer. */
  sentinels(): readonly { place: string; view: SentinelView | undefined; fault: string | undefined }[] {
    return [...this.#kept].map(([place, { peer }]) => ({ place, view: peer.view, fault: peer.fault }));
  }

  whyUnknown(): string {
    const faults = [...this.#kept].map(([place, { peer }]) => `${place} ${peer.fault ?? 'is being asked'}`);
    return `no Sentinel tells where the master is: ${faults.join('; ')}`;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#succession.end();
    for (const { peer } of this.#kept.values()) peer.close();
  }

  #keep(endpoint: RedisEndpoint, isConfigured: boolean): void {
    const { masterName, connect, login, clock } = this.#options;
    const name = placeText(endpoint);
    const known = this.#kept.get(name);
    if (known !== undefined) {
      known.namedMonotonicMs = clock.monotonicMs();
      return;
    }
    if (this.#kept.size >= PEERS_MAX) return;
    const peer = new SentinelPeer({
      endpoint,
      masterName,
      connect,
      login,
      onNews: (told) => this.#hear(told),
      onSwitch: () => this.doubt(),
      onSelected: (told, selection) => this.#expect(told, selection),
    });
    this.#kept.set(name, { peer, isConfigured, namedMonotonicMs: clock.monotonicMs() });
    if (!isConfigured) void peer.ask();
  }

  #poll(): void {
    clearTimeout(this.#timer);
    for (const { peer } of this.#kept.values()) void peer.ask();
    const isHurried = this.#options.clock.monotonicMs() < this.#hurriedUntilMs;
    this.#timer = setTimeout(() => this.#poll(), isHurried ? HURRIED_POLL_MS : POLL_MS);
    this.#timer.unref();
  }

  #hear(peer: SentinelPeer): void {
    if (this.#isClosed) return;
    this.#learn(peer);
    this.#forget();
    const nowMs = this.#options.clock.monotonicMs();
    const isFirstRoundOver =
      nowMs - this.#startedMs >= FIRST_ROUND_MS ||
      [...this.#kept.values()].every((kept) => kept.peer.hasTried);
    if (isFirstRoundOver) this.#decide(nowMs);
  }

  /** One that was cut off, or watches another master by that name, plans nothing that concerns this one. */
  #expect({ viewBefore: view }: SentinelPeer, selection: Selection): void {
    const election = this.#election;
    if (this.#isClosed || election === undefined || view?.epoch !== election.epochSeen) return;
    if (placeText(selection.master) !== placeText(election.master)) return;
    this.doubt();
    void this.#succession.expect(selection);
  }

  /** A Sentinel may be configured by a name and known to the others by an address. */
  #learn({ view }: SentinelPeer): void {
    const ids = new Set([...this.#kept.values()].map(({ peer }) => peer.id));
    for (const { id, endpoint } of view?.others ?? []) {
      if (!ids.has(id) || this.#kept.has(placeText(endpoint))) this.#keep(endpoint, false);
    }
  }

  #forget(): void {
    const nowMs = this.#options.clock.monotonicMs();
    // Else those that are left would be the majority by and by, however few they are.
    const isMajorityHeard = 2 * this.#views().size > this.#knownCount();
    const configured = new Set<string | undefined>();
    for (const { peer, isConfigured } of this.#kept.values()) {
      if (isConfigured && peer.view !== undefined) configured.add(peer.id);
    }
    for (const [name, { peer, isConfigured, namedMonotonicMs }] of this.#kept) {
      if (isConfigured) continue;
      const isTwice = peer.id !== undefined && configured.has(peer.id);
      const isGone = isMajorityHeard && peer.view === undefined && nowMs - namedMonotonicMs > FORGET_MS;
      if (!isTwice && !isGone) continue;
      peer.close();
      this.#kept.delete(name);
    }
  }

  /** By their own names: one that is reached in two ways has one voice. */
  #views(): ReadonlyMap<string, SentinelView> {
    const views = new Map<string, SentinelView>();
    for (const [place, { peer }] of this.#kept) {
      if (peer.view !== undefined) views.set(peer.id ?? place, peer.view);
    }
    return views;
  }

  /** Those that don't answer included. One that is configured and never answered may be another's peer. */
  #knownCount(): number {
    const ids = new Set<string>();
    let configured = 0;
    for (const { peer, isConfigured } of this.#kept.values()) {
      if (isConfigured) configured++;
      if (peer.id !== undefined) ids.add(peer.id);
      for (const { id } of peer.view?.others ?? []) ids.add(id);
    }
    return Math.max(ids.size, configured);
  }

  #decide(nowMs: number): void {
    const views = [...this.#views().values()];
    const counting = this.current();
    const before = this.#election?.master;
    this.#election = electedMaster(views, this.#knownCount(), this.#election);
    const elected = this.#election?.master;
    if (elected === undefined || views.length === 0) {
      this.#warnSeldom(nowMs, 'no Sentinel tells where the master is; the last known one stays');
      return;
    }
    const place = placeText(elected);
    if (!views.some(({ master }) => placeText(master) === place)) {
      const named = views.map(({ master, epoch }) => `${placeText(master)} (epoch ${epoch})`);
      this.#warnSeldom(
        nowMs,
        'the Sentinels that answer name another master, and are too few, or know less than was known before; the last known one stays',
        { master: place, epoch: this.#election?.epochSeen, named },
      );
    }
    if (before !== undefined && placeText(before) === place) return;
    this.#succession.end();
    const fields = { master: place, sentinels: views.length };
    if (before === undefined) this.#options.log.info(fields, 'the Sentinels name the master of Redis');
    else
      this.#options.log.warn({ ...fields, before: placeText(before) }, 'the Sentinels name another master');
    if (counting === undefined || placeText(counting) !== place) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #warnSeldom(nowMs: number, message: string, fields: object = {}): void {
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + WARNING_INTERVAL_MS;
    const faults = Object.fromEntries([...this.#kept].map(([place, { peer }]) => [place, peer.fault]));
    this.#options.log.warn({ ...fields, faults }, message);
  }
}
