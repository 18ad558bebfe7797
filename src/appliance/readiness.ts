import type { Clock } from '../limiter/clock.ts';
import type { CountersCondition } from '../limiter/counters-condition.ts';
import type { Readiness as Report } from '../planes/hooks/health-routes.ts';
import type { PolicySnapshot } from '../policy/namespace.ts';

/** /ready is public: however often it is asked, the store is asked this often at most. */
const ASKED_INTERVAL_MS = 1000;
const SLOTS_AWAY_TOLD_MAX = 64;

export interface ReadinessParts {
  readonly snapshot: Pick<PolicySnapshot, 'state'>;
  /** Of the counters, asked as a check asks them; never rejects. */
  readonly condition: () => Promise<CountersCondition>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The configuration store answers, and refuses what is written. */
  readonly isConfigurationReadOnly: () => boolean;
  /** False while counts of this process can't be written to its disk. */
  readonly areCountersSaved: () => boolean;
}

/** Whether this node should be sent traffic: yes while it serves, degraded or not. */
export class Readiness {
  readonly #parts: ReadinessParts;
  #phase: 'starting' | 'serving' | 'draining' = 'starting';
  #asked: { readonly condition: Promise<CountersCondition>; readonly untilMs: number } | undefined;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  startServing(): void {
    this.#phase = 'serving';
  }

  startDraining(): void {
    this.#phase = 'draining';
  }

  async report(): Promise<Report> {
    const { snapshot, isConfigurationReadOnly, areCountersSaved } = this.#parts;
    const { isLoaded, isStale, revision, ageMs, source } = snapshot.state();
    const configuration =
      !isLoaded || isStale ? 'unavailable' : isConfigurationReadOnly() ? 'read_only' : 'available';
    const { state, fault, slotsAway } = await this.#askSeldom();
    const counters = state === 'available' && !areCountersSaved() ? 'not_saved' : state;
    const isWhole = configuration === 'available' && counters === 'available';
    const status =
      this.#phase !== 'serving' ? this.#phase : !isLoaded ? 'unconfigured' : isWhole ? 'ready' : 'degraded';
    return {
      isReady: this.#phase === 'serving' && isLoaded,
      status,
      stores: {
        configuration,
        counters,
        ...(fault !== undefined && { countersFault: fault }),
        ...(slotsAway && { slotsAway: slotsAway.slice(0, SLOTS_AWAY_TOLD_MAX) }),
      },
      snapshot: isLoaded ? { revision, ageMs: Math.max(0, Math.round(ageMs)), source } : null,
    };
  }

  #askSeldom(): Promise<CountersCondition> {
    const { clock, condition } = this.#parts;
    const nowMs = clock.monotonicMs();
    if (this.#asked === undefined || nowMs >= this.#asked.untilMs) {
      this.#asked = { condition: condition(), untilMs: nowMs + ASKED_INTERVAL_MS };
    }
    return this.#asked.condition;
  }
}
