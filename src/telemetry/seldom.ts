/** Beyond this many kinds the memory of them is dropped; at worst a line too many. */
const KINDS_MAX = 10_000;

type Write = (suppressed: number) => void;

interface Kind {
  quietUntilMs: number;
  suppressed: number;
  /** What writes the latest of those that were left out, once it is quiet no more. */
  writeLast: Write | undefined;
  cancelLast: (() => void) | undefined;
}

/** What it needs of a clock: milliseconds that never go back. */
interface SteadyClock {
  monotonicMs(): number;
}

/** What it needs of timers: `work` once after `ms`; the result cancels it. */
interface OneTimer {
  after(ms: number, work: () => void): () => void;
}

const unrefTimer: OneTimer = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Keeps warnings that a flood would repeat to one a second for each kind. The latest of those that
 * were left out is written at the end of its second, so that the counts are whole when a flood ends.
 */
export class Seldom {
  readonly #clock: SteadyClock;
  readonly #timers: OneTimer;
  readonly #quietMs: number;
  readonly #kinds = new Map<string, Kind>();

  constructor(clock: SteadyClock, { quietMs = 1000, timers = unrefTimer } = {}) {
    this.#clock = clock;
    this.#timers = timers;
    this.#quietMs = quietMs;
  }

  /** Runs `write` with how many of this kind were left out since the last, now or when it is time. */
  run(name: string, write: Write): void {
    const nowMs = this.#clock.monotonicMs();
    const kind = this.#kindOf(name);
    if (nowMs >= kind.quietUntilMs) {
      this.#write(kind, write);
      return;
    }
    // The one that is kept to be written is not counted.
    if (kind.writeLast !== undefined) kind.suppressed++;
    kind.writeLast = write;
    kind.cancelLast ??= this.#timers.after(kind.quietUntilMs - nowMs, () => {
      if (kind.writeLast !== undefined) this.#write(kind, kind.writeLast);
    });
  }

  #write(kind: Kind, write: Write): void {
    const isPassedOver = kind.writeLast !== undefined && kind.writeLast !== write;
    const suppressed = kind.suppressed + (isPassedOver ? 1 : 0);
    kind.cancelLast?.();
    kind.cancelLast = undefined;
    kind.writeLast = undefined;
    kind.suppressed = 0;
    kind.quietUntilMs = this.#clock.monotonicMs() + this.#quietMs;
    write(suppressed);
  }

  #kindOf(name: string): Kind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    if (this.#kinds.size >= KINDS_MAX) this.#kinds.clear();
    const fresh: Kind = {
      quietUntilMs: -Infinity,
      suppressed: 0,
      writeLast: undefined,
      cancelLast: undefined,
    };
    this.#kinds.set(name, fresh);
    return fresh;
  }
}
