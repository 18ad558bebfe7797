import type { LimitVerdict, Verdict } from '../client/resources.ts';
import { formatDuration, formatTime } from './duration.ts';
import { printable } from './printable.ts';
import { type Cell, table } from './table.ts';

/** A verdict for people: the answer first, then what each limit and quota says; those on trial last. */
export function verdictText(verdict: Verdict): string {
  const { success, reason, retryAfter, delayMs, degraded, limits, shadow } = verdict;
  const why = reason === null ? '' : ` (${printable(reason)})`;
  const wait = retryAfter === null ? '' : `; try again in ${formatDuration(retryAfter * 1000)}`;
  const delay = delayMs === 0 ? '' : `; proceed in ${formatDuration(delayMs)}`;
  const answer = `${success ? 'allowed' : 'denied'}${why}${wait}${delay}`;
  const isByException = reason === 'blocked' || reason === 'exempt';
  if (degraded) {
    const by = isByException ? 'what is configured for this identifier' : 'the policy of the namespace';
    return `${answer}\nThe counters did not answer: ${by} decided.`;
  }
  if (isByException) return answer;
  const rows = [
    ...limits.map((limit) => row(limit, limit.success ? 'allows' : 'denies')),
    ...shadow.map((limit) => row(limit, limit.success ? 'would allow' : 'would deny')),
  ];
  if (rows.length === 0) return `${answer}\nNothing is counted: every limit of the rule is off.`;
  return `${answer}\n\n${table(['LIMIT', 'ALGORITHM', 'SAYS', 'LEFT', 'OF', 'IN', 'WHOLE AGAIN'], rows)}`;
}

function row(
  { name, algorithm, remaining, limit, windowMs, period, reset }: LimitVerdict,
  says: string,
): Cell[] {
  const span = period ?? (windowMs === null ? null : formatDuration(windowMs));
  return [name, algorithm, says, remaining, limit, span, formatTime(reset)];
}
