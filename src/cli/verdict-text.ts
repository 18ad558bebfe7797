import type { Verdict } from '../client/resources.ts';
import { formatDuration, formatTime } from './duration.ts';
import { printable } from './printable.ts';
import { table } from './table.ts';

/** A verdict for people: the answer first, then what each limit says. */
export function verdictText({ success, reason, retryAfter, degraded, limits }: Verdict): string {
  const why = reason === null ? '' : ` (${printable(reason)})`;
  const wait = retryAfter === null ? '' : `; try again in ${formatDuration(retryAfter * 1000)}`;
  const answer = `${success ? 'allowed' : 'denied'}${why}${wait}`;
  if (degraded) return `${answer}\nThe counters did not answer: the policy of the namespace decided.`;
  const rows = limits.map((limit) => [
    limit.name,
    limit.algorithm,
    limit.success ? 'allows' : 'denies',
    limit.remaining,
    limit.limit,
    formatDuration(limit.windowMs),
    formatTime(limit.reset),
  ]);
  return `${answer}\n\n${table(['LIMIT', 'ALGORITHM', 'SAYS', 'LEFT', 'OF', 'IN', 'WHOLE AGAIN'], rows)}`;
}
