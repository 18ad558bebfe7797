import type { TopIdentifiers } from '../top/top-identifiers.ts';
import type { Histogram } from './instruments.ts';
import type { MetricsRegistry } from './metrics-registry.ts';
import { type CountedNamespace, type CountedVerdict, VerdictCounts } from './verdict-counts.ts';

/** What is counted of a check. */
export interface CountedCheck {
  readonly namespace: CountedNamespace;
  readonly identifier: string;
  readonly peek: boolean;
}

export interface CheckMetricsOptions {
  readonly registry: MetricsRegistry;
  readonly clock: { monotonicMs(): number };
  readonly store: 'redis' | 'embedded';
  /** Undefined: no identifiers are held. */
  readonly top: TopIdentifiers | undefined;
  /** Whether ChronosDB's name for the store's latency is there too. */
  readonly hasChronosdbNames: boolean;
}

/** Counts what the limiter decides; its shape is the limiter's port for that. On the way of every check. */
export class CheckMetrics {
  readonly #clock: CheckMetricsOptions['clock'];
  readonly #top: TopIdentifiers | undefined;
  readonly #verdicts = new VerdictCounts();
  readonly #degraded: (policy: string, fault: string) => void;
  readonly #storeDurations: Histogram;
  readonly #redisLatencies: Histogram | undefined;
  /** As the limiter read it last: at the answer of the counters. */
  #nowMs: number;

  constructor({ registry, clock, store, top, hasChronosdbNames }: CheckMetricsOptions) {
    this.#clock = clock;
    this.#nowMs = clock.monotonicMs();
    this.#top = top;
    registry.source('brume_verdicts_total', () => this.#verdicts.samples());
    this.#storeDurations = registry.histogram('brume_store_duration_seconds').of(store);
    const degraded = registry.counter('brume_degraded_verdicts_total');
    this.#degraded = (policy, fault) => degraded.of(policy, fault).add();
    if (hasChronosdbNames && store === 'redis') {
      this.#redisLatencies = registry.histogram('redis_latency_ms').of();
    }
  }

  monotonicMs(): number {
    this.#nowMs = this.#clock.monotonicMs();
    return this.#nowMs;
  }

  onStoreAnswer(durationMs: number): void {
    this.#storeDurations.observe(durationMs / 1000);
    this.#redisLatencies?.observe(durationMs);
  }

  /** A peek decides nothing and is not counted. */
  onVerdict({ namespace, identifier, peek }: CountedCheck, verdict: CountedVerdict): void {
    if (peek) return;
    this.#verdicts.count(namespace, verdict);
    this.#top?.note(namespace.id, identifier, !verdict.success, this.#nowMs);
  }

  onDegraded(policy: string, fault: string): void {
    this.#degraded(policy, fault);
  }

  /** Frees the places of namespaces that are gone. */
  retain(exists: (namespace: CountedNamespace) => boolean): void {
    this.#verdicts.retain(exists);
  }
}
