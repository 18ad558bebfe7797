import type { Loss } from '../model/ledger.ts';
import type { Random } from '../random.ts';
import type { Answer, Call, Caller } from './caller.ts';
import type { Lateness } from './lateness.ts';
import type { Policy } from './namespaces.ts';
import type { Subject, Subjects } from './subjects.ts';
import { type SeenVerdict, verdictFaults, verdictIn } from './verdict-faults.ts';

export interface LoadParts {
  readonly callers: readonly Caller[];
  /** Begins the name of all identifiers. */
  readonly prefix: string;
  readonly random: Random;
  readonly subjects: Subjects;
  readonly losses: readonly Loss[];
  /** Only of counters whose windows pass within seconds. */
  readonly briefLosses: readonly Loss[];
  readonly lateness: Lateness;
  /** Which of the events is on, or was last. */
  readonly eventIndex: () => number;
  readonly broken: (invariant: string, detail: string) => void;
}

/** What the kinds of load have in common: calling, and looking at each answer. */
export class LoadContext {
  readonly parts: LoadParts;
  readonly counts = { calls: 0, checks: 0, degraded: 0, denied: 0, admitted: 0, failed: 0 };

  constructor(parts: LoadParts) {
    this.parts = parts;
  }

  get random(): Random {
    return this.parts.random;
  }

  /** undefined if there was no answer, which is a broken invariant. */
  async ask(call: Call, allowed: readonly number[]): Promise<Answer | undefined> {
    const { callers, lateness, broken } = this.parts;
    this.counts.calls++;
    try {
      const answer = await this.random.pick(callers).ask(call);
      lateness.note(answer);
      if (!allowed.includes(answer.status))
        broken(
          'status',
          `${call.method ?? 'POST'} ${call.path}: ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      return answer;
    } catch (error) {
      this.counts.failed++;
      broken('answered', `${call.path}: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }

  /** Looks at a verdict as at any; `answer` if its headers are those of the verdict. */
  judge(body: unknown, policy: Policy, answer?: Answer): SeenVerdict {
    const verdict = verdictIn(body);
    this.count(verdict);
    for (const fault of verdictFaults(verdict, policy)) this.parts.broken('verdict', fault);
    if (answer !== undefined && isMarkedDegraded(answer) !== verdict.degraded)
      this.parts.broken(
        'degraded is visible',
        `body ${verdict.degraded}, header ${isMarkedDegraded(answer)}`,
      );
    return verdict;
  }

  count({ success, degraded }: Pick<SeenVerdict, 'success' | 'degraded'>): void {
    this.counts.checks++;
    if (degraded) this.counts.degraded++;
    else if (success) this.counts.admitted++;
    else this.counts.denied++;
  }

  /** Notes what a check of that cost, so answered, may have consumed. */
  use(
    subject: Subject,
    verdict: Pick<SeenVerdict, 'success' | 'degraded'>,
    { sentMs, receivedMs }: Pick<Answer, 'sentMs' | 'receivedMs'>,
    cost = 1,
  ): void {
    const { success, degraded } = verdict;
    if (degraded) {
      subject.degradedMs = receivedMs;
      if (success) {
        subject.admittedDegraded += cost;
        subject.degradedEvents.add(this.parts.eventIndex());
      }
      subject.ledger.add({ sentMs, receivedMs, least: 0, most: cost });
    } else if (success) {
      subject.ledger.add({ sentMs, receivedMs, least: cost, most: cost });
    } else {
      subject.denials++;
    }
  }

  /** Calls with subjects that nobody may look at meanwhile. */
  async with(subjects: readonly Subject[], call: () => Promise<void>): Promise<void> {
    for (const subject of subjects) subject.underWay++;
    try {
      await call();
    } finally {
      for (const subject of subjects) subject.underWay--;
    }
  }
}

export function isMarkedDegraded({ headers }: Answer): boolean {
  return headers['x-brume-ratelimit-degraded'] === 'true';
}
