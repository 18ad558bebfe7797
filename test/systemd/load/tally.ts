import type { Fault, LoadReport, Namespace } from './load.ts';

/** What a verdict said. */
export interface Verdict {
  readonly isAdmitted: boolean;
  readonly remaining: number;
}

interface Check {
  /** Places in one order of all that was sent and answered. */
  readonly sentAt: number;
  answeredAt: number;
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
    const check: Check = { sentAt: this.#order++, answeredAt: Number.POSITIVE_INFINITY, verdict: undefined };
    const of = this.#checks.get(identifier) ?? { namespace, checks: [] };
    this.#checks.set(identifier, of);
    of.checks.push(check);
    this.#sent++;
    const sentMs = this.#nowMs();
    return {
      judged: (verdict) => {
        check.answeredAt = this.#order++;
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
    return {
      sent: this.#sent,
      answered: all.length,
      sentAgain: this.sentAgain,
      faults: this.#faults,
      miscounts: [...this.#checks].flatMap(([identifier, { namespace, checks }]) =>
        miscounts(checks, this.#limits[namespace]).map((what) => `${namespace} ${identifier}: ${what}`),
      ),
      medianMs: at(0.5),
      p999Ms: at(0.999),
      slowestMs: Object.fromEntries(slowest),
      toldMs: this.#toldMs,
    };
  }

  #nowMs(): number {
    return Math.round(performance.now() - this.#startMs);
  }
}

/** What is wrong with what an identifier was told; a request without a verdict may have been counted. */
function miscounts(checks: readonly Check[], limit: number): string[] {
  const found: string[] = [];
  const judged = checks.filter(({ verdict }) => verdict !== undefined);
  const admitted = judged.filter(({ verdict }) => verdict?.isAdmitted);
  const unknown = checks.length - judged.length;
  const expected = Math.min(limit, checks.length);
  if (admitted.length > limit) found.push(`${admitted.length} admitted, and the limit is ${limit}`);
  if (admitted.length + unknown < expected)
    found.push(`${admitted.length} of ${checks.length} admitted, and the limit is ${limit}`);

  const left = admitted.map(({ verdict }) => verdict?.remaining);
  const twice = left.filter((remaining, at) => left.indexOf(remaining) !== at);
  if (twice.length > 0) found.push(`admitted twice with ${twice.join(', ')} left`);

  const denials = judged.filter(({ verdict }) => !verdict?.isAdmitted).map(({ answeredAt }) => answeredAt);
  const firstDenial = Math.min(...denials);
  const late = admitted.filter(({ sentAt }) => sentAt > firstDenial).length;
  if (late > 0) found.push(`${late} admitted after a denial`);
  return found;
}
