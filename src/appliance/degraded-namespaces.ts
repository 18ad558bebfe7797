import type { CheckedNamespace } from '../limiter/check.ts';
import type { CountersFault } from '../limiter/counters.ts';
import type { DegradedNamespace } from '../planes/management/node-status.ts';

interface Entry {
  readonly namespace: CheckedNamespace;
  readonly sinceMs: number;
  fault: CountersFault;
  lastMonotonicMs: number;
  verdicts: number;
}

/** So long after its last degraded verdict a namespace counts as well again. */
const QUIET_MS = 10_000;
const NAMESPACES_MAX = 1000;

/** Which namespaces had a verdict by their failure policy in the last seconds; at most 1,000 of them. */
export class DegradedNamespaces {
  readonly #clock: { nowMs(): number; monotonicMs(): number };
  readonly #entries = new Map<string, Entry>();

  constructor(clock: { nowMs(): number; monotonicMs(): number }) {
    this.#clock = clock;
  }

  note(namespace: CheckedNamespace, fault: CountersFault): void {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#entries.get(namespace.id);
    if (known !== undefined && nowMs - known.lastMonotonicMs < QUIET_MS) {
      known.fault = fault;
      known.lastMonotonicMs = nowMs;
      known.verdicts++;
      return;
    }
    if (this.#entries.size >= NAMESPACES_MAX) this.#forgetQuiet(nowMs);
    if (known === undefined && this.#entries.size >= NAMESPACES_MAX) return;
    const sinceMs = this.#clock.nowMs();
    this.#entries.set(namespace.id, { namespace, sinceMs, fault, lastMonotonicMs: nowMs, verdicts: 1 });
  }

  list(): readonly DegradedNamespace[] {
    this.#forgetQuiet(this.#clock.monotonicMs());
    return [...this.#entries.values()].map(({ namespace, sinceMs, fault, verdicts }) => ({
      projectId: namespace.projectId,
      name: namespace.name,
      policy: namespace.rule.onStoreFailure,
      fault,
      sinceMs,
      verdicts,
    }));
  }

  #forgetQuiet(nowMs: number): void {
    for (const [id, { lastMonotonicMs }] of this.#entries) {
      if (nowMs - lastMonotonicMs >= QUIET_MS) this.#entries.delete(id);
    }
  }
}
