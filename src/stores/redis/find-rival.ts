import type { Clock } from '../../limiter/clock.ts';
import type { Timers } from '../cache/timers.ts';
import { Claim } from './claim.ts';
import { FIRST_ANSWER_MS, installationId, openClaimCaller } from './ownership.ts';
import type { RedisAccess } from './redis-address.ts';

export interface RivalSought {
  readonly url: string;
  /** What the URL doesn't say. */
  readonly access?: RedisAccess | undefined;
  /** Undefined: there is no installation yet, so that every claim is another one's. */
  readonly identifierSecret: Uint8Array | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
}

/**
 * Who holds the claim of another installation on this Redis. Undefined if nobody does, or Redis is away:
 * then the claim itself tells. Changes nothing, and never rejects.
 */
export async function findRival({
  url,
  access,
  identifierSecret,
  clock,
  timers,
}: RivalSought): Promise<string | undefined> {
  const caller = openClaimCaller({ url, access, clock });
  const { promise: isLate, resolve: giveUp } = Promise.withResolvers<false>();
  const stopWaiting = timers.after(FIRST_ANSWER_MS, () => giveUp(false));
  try {
    if (!(await Promise.race([caller.firstTry(), isLate]))) return undefined;
    const claim = await new Claim(caller).look();
    const [, installation, holder] = /^(\S+) (.*)$/.exec(claim) ?? [];
    const isOurs = identifierSecret !== undefined && installation === installationId(identifierSecret);
    return isOurs ? undefined : holder;
  } catch {
    return undefined;
  } finally {
    stopWaiting();
    caller.close();
  }
}
