import type { Clock } from '../../src/limiter/clock.ts';
import type { Timers } from '../../src/stores/cache/timers.ts';

/** A clock and its timers, which move only when told. */
export class ManualTime implements Clock, Timers {
  #passedMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly work: () => void }>();

  nowMs(): number {
    return 1_800_000_000_000 + this.#passedMs;
  }

  monotonicMs(): number {
    return this.#passedMs;
  }

  after(ms: number, work: () => void): () => void {
    const timer = { atMs: this.#passedMs + ms, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get timerCount(): number {
    return this.#timers.size;
  }

  /** Lets time pass, runs what is due in its order, and lets promises settle after each. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#passedMs + byMs;
    for (;;) {
      const [next] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#passedMs = next.atMs;
      next.work();
      await settled();
    }
    this.#passedMs = untilMs;
    await settled();
  }
}

/** Resolves when everything that waits for promises alone has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
