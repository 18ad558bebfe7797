import { BrumeError, type ErrorCode } from '../../errors/catalogue.ts';
import type { TakeCall } from './call-ceilings.ts';
import type { Caller } from './caller.ts';

type Done = (error?: Error) => void;

/** Counts a call and lets it go on, or refuses it with this code. Nobody is counted on public routes. */
export function refusal(
  code: ErrorCode,
  { take, onThrottled }: { readonly take: TakeCall; readonly onThrottled?: () => void },
): (caller: Caller | null, done: Done) => void {
  const decide = (retryAfterS: number, done: Done): void => {
    if (retryAfterS > 0) onThrottled?.();
    done(retryAfterS > 0 ? new BrumeError(code, { retryAfterS }) : undefined);
  };
  return (caller, done) => {
    const taken = caller === null ? 0 : take(caller);
    if (typeof taken === 'number') decide(taken, done);
    else taken.then((retryAfterS) => decide(retryAfterS, done), done);
  };
}
