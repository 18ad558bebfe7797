/** Beyond this many kinds the memory of them is dropped; at worst a line too many. */
const KINDS_MAX = 10_000;

interface Kind {
  quietUntilMs: number;
  suppressed: number;
}

/** What it needs of a clock: milliseconds that never go back. */
interface SteadyClock {
  monotonicMs(): number;
}

/** Keeps warnings that a flood would repeat to one a second for each kind. */
export class Seldom {
  readonly #clock: SteadyClock;
  readonly #quietMs: number;
  readonly #kinds = new Map<string, Kind>();

  constructor(clock: SteadyClock, quietMs = 1000) {
    this.#clock = clock;
    this.#quietMs = quietMs;
  }

  /** Runs `write` with how many of this kind were left out since the last, if it is time for one. */
  run(name: string, write: (suppressed: number) => void): void {
    const nowMs = this.#clock.monotonicMs();
    const kind = this.#kindOf(name);
    if (nowMs < kind.quietUntilMs) {
      kind.suppressed++;
      return;
    }
    const { suppressed } = kind;
    kind.quietUntilMs = nowMs + this.#quietMs;
    kind.suppressed = 0;
    write(suppressed);
  }

  #kindOf(name: string): Kind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    if (this.#kinds.size >= KINDS_MAX) this.#kinds.clear();
    const fresh = { quietUntilMs: -Infinity, suppressed: 0 };
    this.#kinds.set(name, fresh);
    return fresh;
  }
}
