import type { Fault, GivenTwice, LoadReport, Namespace } from './load.ts';

/** What a verdict said. */
export interface Verdict {
  readonly isAdmitted: boolean;
  readonly remaining: number;
}

interface Check {
  /** Places in one order of all that was sent and answered. */
  readonly sentAt: number;
  answeredAt: number;
  answeredMs: number;
  verdict: Verdict | undefined;
}

/** A request that is under way. */
export interface Asked {
  /** Its answer came. */
  judged(verdict: Verdict): void;
  /** None came, or one that should not be. */
  failed(what: string): void;
}

/**
 * What was asked and answered, by identifier: who was admitted how often, and what was left then. The limits
 * give nothing back while it lasts, so that each place of a limit is given once.
 */
export class Tally {
  readonly #limits: Readonly<Record<Namespace, number>>;
  readonly #checks = new Map<string, { readonly namespace: Namespace; readonly checks: Check[] }>();
  readonly #latenciesMs = new Map<string, number[]>();
  readonly #faults: Fault[] = [];
  readonly #startMs: number;
  #order = 0;
  #sent = 0;
  #toldMs = 0;
  sentAgain = 0;

  constructor(limits: Readonly<Record<Namespace, number>>, startMs: number) {
    this.#limits = limits;
    this.#startMs = startMs;
  }

  /** To be called when it is sent. */
  ask(stream: string, namespace: Namespace, identifier: string, plannedMs: number): Asked {
    const check: Check = {
      sentAt: this.#order++,
      answeredAt: Number.POSITIVE_INFINITY,
      answeredMs: Number.POSITIVE_INFINITY,
      verdict: undefined,
    };
    const of = this.#checks.get(identifier) ?? { namespace, checks: [] };
    this.#checks.set(identifier, of);
    of.checks.push(check);
    this.#sent++;
    const sentMs = this.#nowMs();
    return {
      judged: (verdict) => {
        check.answeredAt = this.#order++;
        check.answeredMs = this.#nowMs();
        check.verdict = verdict;
        const latencies = this.#latenciesMs.get(stream) ?? [];
        this.#latenciesMs.set(stream, latencies);
        latencies.push(performance.now() - plannedMs);
      },
      failed: (what) => this.fault(stream, what, sentMs),
    };
  }

  fault(stream: string, what: string, sentMs = this.#nowMs()): void {
    this.#faults.push({ stream, atMs: this.#nowMs(), sentMs, what });
  }

  told(): void {
    this.#toldMs = this.#nowMs();
  }

  report(): LoadReport {
    const all = [...this.#latenciesMs.values()].flat().sort((one, other) => one - other);
    const at = (part: number) => Math.round(all.at(Math.floor(all.length * part)) ?? 0);
    const slowest = [...this.#latenciesMs].map(([stream, ms]) => [stream, Math.round(Math.max(...ms))]);
    const found = [...this.#checks].map(([identifier, { namespace, checks }]) => {
      const { givenTwice, miscounts } = judged(checks, this.#limits[namespace]);
      const named = (what: string) => `${namespace} ${identifier}: ${what}`;
      return {
        givenTwice: givenTwice.map(({ what, firstMs }) => ({ what: named(what), firstMs })),
        miscounts: miscounts.map(named),
      };
    });
    return {
      startedAtMs: performance.timeOrigin + this.#startMs,
      sent: this.#sent,
      answered: all.length,
      sentAgain: this.sentAgain,
      faults: this.#faults,
      givenTwice: found.flatMap(({ givenTwice }) => givenTwice),
      miscounts: found.flatMap(({ miscounts }) => miscounts),
      silenceMs: this.#silenceMs(),
      medianMs: at(0.5),
      p999Ms: at(0.999),
      slowestMs: Object.fromEntries(slowest),
      toldMs: this.#toldMs,
    };
  }

  #silenceMs(): number {
    const answered = [...this.#checks.values()]
      .flatMap(({ checks }) => checks.map(({ answeredMs }) => answeredMs))
      .filter(Number.isFinite)
      .sort((one, other) => one - other);
    return answered.reduce((most, ms, at) => Math.max(most, ms - (answered[at - 1] ?? ms)), 0);
  }

  #nowMs(): number {
    return Math.round(performance.now() - this.#startMs);
  }
}

/** What is wrong with what an identifier was told; a request without a verdict may have been counted. */
function judged(
  checks: readonly Check[],
  limit: number,
): { readonly givenTwice: readonly GivenTwice[]; readonly miscounts: readonly string[] } {
  const miscounts: string[] = [];
  const answered = checks
    .filter(({ verdict }) => verdict !== undefined)
    .sort((one, other) => one.answeredAt - other.answeredAt);
  const admitted = answered.filter(({ verdict }) => verdict?.isAdmitted);
  const unknown = checks.length - answered.length;

  const givenTwice: GivenTwice[] = [];
  const givenMs = new Map<number, number>();
  for (const { verdict, answeredMs } of admitted) {
    const remaining = verdict?.remaining ?? Number.NaN;
    const firstMs = givenMs.get(remaining);
    if (firstMs !== undefined) givenTwice.push({ what: `admitted twice with ${remaining} left`, firstMs });
    givenMs.set(remaining, answeredMs);
  }

  const expected = Math.min(limit, checks.length);
  if (admitted.length > limit + givenTwice.length)
    miscounts.push(`${admitted.length} admitted, and the limit is ${limit}`);
  if (admitted.length + unknown < expected)
    miscounts.push(`${admitted.length} of ${checks.length} admitted, and the limit is ${limit}`);

  const denials = answered.filter(({ verdict }) => !verdict?.isAdmitted).map(({ answeredAt }) => answeredAt);
  const firstDenial = Math.min(...denials);
  const late = admitted.filter(({ sentAt }) => sentAt > firstDenial).length;
  // Where a count was lost, a place comes back.
  if (late > givenTwice.length + unknown) miscounts.push(`${late} admitted after a denial`);
  return { givenTwice, miscounts };
}
