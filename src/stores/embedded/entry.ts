import { BrumeError } from '../../errors/catalogue.ts';
import type { Leases } from '../../limiter/algorithms/concurrency.ts';
import type { CounterCheck, CounterOutcome } from '../../limiter/counters.ts';
import { type Held, NOTHING_HELD } from '../../limiter/held.ts';
import { decide } from '../../limiter/plan.ts';
import { toldToken } from '../../limiter/reservations.ts';
import { signatureOf } from '../../limiter/signature.ts';
import { KeptAnswers } from './kept-answers.ts';

/** What the table holds of one identifier in one namespace. */
export interface Entry {
  readonly held: Held;
  readonly answers: KeptAnswers | undefined;
  /** On the monotonic clock: a step of the wall clock must neither free an entry nor keep it for ever. */
  readonly expiresMonotonicMs: number;
  /** Of one that was read from disk and not changed since: what was observed up to then is in it. */
  readonly savedMs?: number;
}

export interface Judged {
  readonly outcome: CounterOutcome;
  /** What the table must hold from now on; undefined: nothing changed. */
  readonly entry: Entry | undefined;
}

export interface Moment {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

/**
 * Judges a check on what is known of its identifier, whose state is used up if it changes. An admitted
 * check with a request id is judged once, and answered alike for a minute.
 * Throws BrumeError request_id_reused.
 */
export function judge(known: Entry | undefined, check: CounterCheck, moment: Moment): Judged {
  const { requestKey, cost, set } = check;
  const token = toldToken(check);
  if (requestKey === undefined || check.peek) return judgeAnew(known, check, moment);
  const { monotonicMs } = moment;
  const kept = known?.answers?.get(requestKey, monotonicMs);
  if (kept === undefined) {
    const judged = judgeAnew(known, check, moment);
    if (!judged.outcome.admitted) return judged;
    const answers = known?.answers ?? new KeptAnswers();
    answers.keep(
      requestKey,
      { cost, token, signature: signatureOf(set), outcome: judged.outcome },
      monotonicMs,
    );
    return { ...judged, entry: withAnswers(judged.entry ?? known, answers) };
  }
  const isAlike = kept.cost === cost && (kept.token === undefined) === (token === undefined);
  if (!isAlike) throw new BrumeError('request_id_reused', { field: 'requestId' });
  if (kept.signature === signatureOf(set)) {
    return { outcome: { ...kept.outcome, isRepeated: true }, entry: undefined };
  }
  // The rule has changed since: what it says now, but the check stays admitted.
  const { outcome, entry } = judgeAnew(known, { ...check, peek: true }, moment);
  return { outcome: { ...outcome, token: kept.token, admitted: true, isRepeated: true }, entry };
}

function judgeAnew(known: Entry | undefined, check: CounterCheck, moment: Moment): Judged {
  const { outcome, held, expiresAtMs } = decide(check.set, known?.held, check, moment.nowMs);
  return { outcome, entry: held === undefined ? undefined : entryAfter(known, held, expiresAtMs, moment) };
}

/** What is held instead of what was known, up to its own end: a rule that is gone keeps nothing any longer. */
export function entryAfter(
  known: Entry | undefined,
  held: Held,
  expiresAtMs: number,
  { nowMs, monotonicMs }: Moment,
): Entry {
  const entry = { held, answers: undefined, expiresMonotonicMs: monotonicMs + (expiresAtMs - nowMs) };
  return known?.answers === undefined ? entry : withAnswers(entry, known.answers);
}

export const NOTHING: Entry = { held: NOTHING_HELD, answers: undefined, expiresMonotonicMs: 0 };

/** An entry lives as long as its records or its answers are worth something. */
function withAnswers(entry: Entry = NOTHING, answers: KeptAnswers): Entry {
  return {
    ...entry,
    answers,
    expiresMonotonicMs: Math.max(entry.expiresMonotonicMs, answers.expiresMonotonicMs),
  };
}

/** An entry with other leases; it lives until the last of them has run out, at least. */
export function withLeases(entry: Entry, leases: Leases, { nowMs, monotonicMs }: Moment): Entry {
  const lastMs = Math.max(nowMs, ...leases.values());
  const expiresMonotonicMs = Math.max(entry.expiresMonotonicMs, monotonicMs + (lastMs - nowMs));
  return { ...entry, held: { ...entry.held, leases }, expiresMonotonicMs };
}
