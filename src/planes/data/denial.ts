import type { Verdict } from '../../limiter/verdict.ts';
import type { Problem } from '../hooks/problem.ts';

/** Why a forward-auth call was not allowed, as X-Brume-Reason says it. */
export type DenialReason = 'limit' | 'quota' | 'blocked' | 'store_unavailable';

export function denialReason({ reason }: Verdict): DenialReason {
  return reason === 'store_unavailable' || reason === 'quota' || reason === 'blocked' ? reason : 'limit';
}

/**
 * A denied verdict as the body of a forward-auth answer. Most proxies hand it to the end user, so it
 * is not the verdict itself, which names the identifier. The types are those that
 * draft-ietf-httpapi-ratelimit-headers registers.
 */
export function denialProblem(reason: DenialReason, status: number): Problem {
  return reason === 'store_unavailable'
    ? {
        type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
        title: 'The limit cannot be checked at the moment; try again later.',
        status,
        code: reason,
      }
    : {
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Too many requests; try again later.',
        status,
        code: reason,
      };
}
