import type { Clock } from '../limiter/clock.ts';
import type { Counters } from '../limiter/counters.ts';
import type { Readiness as Report } from '../planes/hooks/health-routes.ts';
import type { PolicySnapshot } from '../policy/namespace.ts';

/** /ready is public: however often it is asked, the store is asked this often at most. */
const PING_INTERVAL_MS = 1000;
const SLOTS_AWAY_TOLD_MAX = 64;

export interface ReadinessParts {
  readonly snapshot: Pick<PolicySnapshot, 'state'>;
  readonly counters: Pick<Counters, 'ping'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The configuration store answers, and refuses what is written. */
  readonly isConfigurationReadOnly: () => boolean;
  /** False while counts of this process can't be written to its disk. */
  readonly areCountersSaved: () => boolean;
  /** Of a cluster the slots that can't be counted in now, as `0-5460`; absent: there are none. */
  readonly slotsAway?: () => readonly string[];
}

/** Whether this node should be sent traffic: yes while it serves, degraded or not. */
export class Readiness {
  readonly #parts: ReadinessParts;
  #phase: 'starting' | 'serving' | 'draining' = 'starting';
  #ping: { readonly answer: Promise<boolean>; readonly untilMs: number } | undefined;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  startServing(): void {
    this.#phase = 'serving';
  }

  startDraining(): void {
    this.#phase = 'draining';
  }

  get isDraining(): boolean {
    return this.#phase === 'draining';
  }

  async report(): Promise<Report> {
    const { snapshot, isConfigurationReadOnly, areCountersSaved } = this.#parts;
    const { isLoaded, isStale, revision, ageMs, source } = snapshot.state();
    const configuration =
      !isLoaded || isStale ? 'unavailable' : isConfigurationReadOnly() ? 'read_only' : 'available';
    const areCountersThere = await this.#pingSeldom();
    const slotsAway = this.#parts.slotsAway?.().slice(0, SLOTS_AWAY_TOLD_MAX) ?? [];
    const isPart = slotsAway.length > 0;
    const saved = areCountersSaved() ? 'available' : 'not_saved';
    const counters = !areCountersThere ? 'unavailable' : isPart ? 'partly_available' : saved;
    const isWhole = configuration === 'available' && counters === 'available';
    const status =
      this.#phase !== 'serving' ? this.#phase : !isLoaded ? 'unconfigured' : isWhole ? 'ready' : 'degraded';
    return {
      isReady: this.#phase === 'serving' && isLoaded,
      status,
      stores: { configuration, counters, ...(isPart && { slotsAway }) },
      snapshot: isLoaded ? { revision, ageMs: Math.max(0, Math.round(ageMs)), source } : null,
    };
  }

  #pingSeldom(): Promise<boolean> {
    const { clock, counters } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (this.#ping === undefined || nowMs >= this.#ping.untilMs) {
      this.#ping = { answer: counters.ping(), untilMs: nowMs + PING_INTERVAL_MS };
    }
    return this.#ping.answer;
  }
}
