import type { Clock } from '../limiter/clock.ts';
import type { Counters } from '../limiter/counters.ts';
import type { Readiness as Report } from '../planes/hooks/health-routes.ts';
import type { PolicySnapshot } from '../policy/namespace.ts';

/** /ready is public: however often it is asked, the store is asked this often at most. */
const PING_INTERVAL_MS = 1000;

export interface ReadinessParts {
  readonly snapshot: Pick<PolicySnapshot, 'state'>;
  readonly counters: Pick<Counters, 'ping'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Whether this node should be sent traffic: yes while it serves, degraded or not. */
export class Readiness {
  readonly #snapshot: ReadinessParts['snapshot'];
  readonly #counters: ReadinessParts['counters'];
  readonly #clock: ReadinessParts['clock'];
  #phase: 'starting' | 'serving' | 'draining' = 'starting';
  #ping: { readonly answer: Promise<boolean>; readonly untilMs: number } | undefined;

  constructor(parts: ReadinessParts) {
    this.#snapshot = parts.snapshot;
    this.#counters = parts.counters;
    this.#clock = parts.clock;
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
    const { isLoaded, isStale, revision, ageMs, source } = this.#snapshot.state();
    const areCountersThere = await this.#pingSeldom();
    const isWhole = areCountersThere && isLoaded && !isStale;
    const status =
      this.#phase !== 'serving' ? this.#phase : !isLoaded ? 'unconfigured' : isWhole ? 'ready' : 'degraded';
    return {
      isReady: this.#phase === 'serving' && isLoaded,
      status,
      stores: {
        configuration: isLoaded && !isStale ? 'available' : 'unavailable',
        counters: areCountersThere ? 'available' : 'unavailable',
      },
      snapshot: isLoaded ? { revision, ageMs: Math.max(0, Math.round(ageMs)), source } : null,
    };
  }

  #pingSeldom(): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#ping === undefined || nowMs >= this.#ping.untilMs) {
      this.#ping = { answer: this.#counters.ping(), untilMs: nowMs + PING_INTERVAL_MS };
    }
    return this.#ping.answer;
  }
}
