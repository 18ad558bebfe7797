import type { Clock } from '../../../limiter/clock.ts';
import type { CounterCheck, CounterOutcome } from '../../../limiter/counters.ts';
import { BRIEF } from '../../../limiter/reservations.ts';
import { newToken } from '../../../limiter/sealed-id.ts';
import type { ScriptAnswer } from '../decode-reply.ts';
import type { SettledRequest } from '../encode-call.ts';
import type { CallTiming } from '../script-caller.ts';
import { Settlements } from './settlements.ts';

export interface SpreadBatchesParts {
  /** Checks of one group can be judged in one call. */
  readonly groupOf: (key: string) => string;
  /** All of the checks or none, in one call: they are of one group. */
  readonly judge: (checks: readonly CounterCheck[], timing: CallTiming) => Promise<readonly ScriptAnswer[]>;
  /** Each by itself, in one call. */
  readonly look: (checks: readonly CounterCheck[], timing: CallTiming) => Promise<readonly ScriptAnswer[]>;
  readonly settle: (settling: SettledRequest, timing: CallTiming) => Promise<unknown>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timeoutMs: number;
}

/** A reservation outlives both steps by far, and what a crash leaves is soon given back. */
const RESERVED_MS_MIN = 5000;

interface Group {
  /** Places in the batch. */
  readonly indexes: readonly number[];
  readonly checks: readonly CounterCheck[];
}

/**
 * Atomic batches whose identifiers are on several servers, where no script can judge all of them. First each
 * group is judged atomically, and what it would consume is reserved; only if all groups admit is that turned
 * into use, and else taken back. So never more is admitted than the limits allow; while a batch is being
 * judged, what it has reserved is missing for others; and what a crash leaves reserved runs out.
 */
export class SpreadBatches {
  readonly #parts: SpreadBatchesParts;
  readonly #settlements: Settlements;

  constructor(parts: SpreadBatchesParts) {
    this.#parts = parts;
    this.#settlements = new Settlements(parts);
  }

  /** As lua/check.lua answers an atomic batch. Rejects with a CountersError if a group gave no answer. */
  async judge(checks: readonly CounterCheck[]): Promise<readonly ScriptAnswer[]> {
    const { groupOf, judge, clock, timeoutMs } = this.#parts;
    const timing = { givenUpMs: clock.monotonicMs() + timeoutMs };
    const places = Map.groupBy(checks.keys(), (index) => groupOf((checks[index] as CounterCheck).key));
    if (places.size < 2) return judge(checks, timing);
    const reserving = checks.map((check) => this.#reserving(check));
    const groups = Array.from(places.values(), (indexes) => ({
      indexes,
      checks: indexes.map((index) => reserving[index] as CounterCheck),
    }));
    const tries = await Promise.allSettled(groups.map((group) => judge(group.checks, timing)));
    const answers = tries.map((tried) => (tried.status === 'fulfilled' ? tried.value : undefined));
    if (answers.every((group) => group?.every(isAdmitted))) {
      await this.#settlements.settle(groups.flatMap(commits), timing);
      return inOrder(groups, answers as readonly (readonly ScriptAnswer[])[]);
    }
    // Of a group that gave no answer it isn't known whether it has reserved.
    const reserved = groups.filter((_, index) => answers[index]?.every(isAdmitted) !== false);
    const failed = tries.find((tried) => tried.status === 'rejected');
    // Nobody waits for it any more where the batch has failed.
    const dropped = this.#settlements.settle(reserved.flatMap(drops), failed === undefined ? timing : {});
    if (failed !== undefined) throw failed.reason;
    await dropped;
    const shown = groups.map((group, index) => {
      const own = answers[index] as readonly ScriptAnswer[];
      return own.every(isAdmitted) ? this.#heldBack(group, own, timing) : own;
    });
    return inOrder(groups, await Promise.all(shown));
  }

  close(): void {
    this.#settlements.close();
  }

  #reserving(check: CounterCheck): CounterCheck {
    if (check.holder !== undefined || check.reservation !== undefined)
      throw new TypeError('a batch over several servers takes no place and reserves nothing for itself');
    // What is remembered under a request id has to be taken back, too, whatever it cost.
    const isKept = check.cost > 0 || check.requestKey !== undefined;
    if (check.peek || !isKept || check.ruling !== undefined) return check;
    const ttlMs = Math.max(RESERVED_MS_MIN, 4 * this.#parts.timeoutMs);
    return { ...check, reservation: `${BRIEF}${newToken(ttlMs)}` };
  }

  /** How a group that would be admitted stands by itself. */
  async #heldBack(
    { checks }: Group,
    answers: readonly ScriptAnswer[],
    timing: CallTiming,
  ): Promise<readonly ScriptAnswer[]> {
    const peeks = checks.map(({ reservation: _, ...check }) => ({ ...check, peek: true }));
    const alone = await this.#parts.look(peeks, timing);
    return answers.map((answer, index) => {
      const stands = alone[index] as ScriptAnswer;
      if (typeof stands === 'string') return stands;
      if (typeof answer !== 'string' && answer.isRepeated) return answer;
      return { ...stands, isHeldBack: stands.admitted, admitted: false, token: undefined };
    });
  }
}

function isAdmitted(answer: ScriptAnswer): answer is CounterOutcome {
  return typeof answer !== 'string' && answer.admitted;
}

function commits({ checks }: Group): SettledRequest[] {
  return checks.flatMap(({ key, set, cost, reservation }) =>
    reservation === undefined ? [] : [{ key, set, cost, token: reservation }],
  );
}

function drops({ checks }: Group): SettledRequest[] {
  return checks.flatMap(({ key, set, reservation, requestKey }) =>
    reservation === undefined ? [] : [{ key, set, cost: 0, token: reservation, requestKey }],
  );
}

function inOrder(groups: readonly Group[], answers: readonly (readonly ScriptAnswer[])[]): ScriptAnswer[] {
  const ordered: ScriptAnswer[] = [];
  groups.forEach(({ indexes }, group) => {
    indexes.forEach((place, index) => {
      ordered[place] = answers[group]?.[index] as ScriptAnswer;
    });
  });
  return ordered;
}
