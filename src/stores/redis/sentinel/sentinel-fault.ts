import { messageOf } from '../../../errors/message-of.ts';
import { connectFault } from '../advice/connect-fault.ts';
import type { RedisLogin } from '../redis-address.ts';

export interface AskedSentinel {
  readonly masterName: string;
  readonly login: RedisLogin;
  /** It answered before. */
  readonly isKnown: boolean;
}

/** Why what was asked tells nothing of the master, to stand behind its place: `is no Sentinel`. */
export function sentinelFault(error: unknown, { masterName, ...asked }: AskedSentinel): string {
  const told = error instanceof Error ? error : new Error(messageOf(error));
  if (/^ERR No such master/i.test(told.message)) return `knows no master named ${masterName}`;
  // What a Redis says that is none.
  if (/^ERR unknown command\b.*sentinel/i.test(told.message)) return 'is no Sentinel';
  const { message, remedy } = connectFault(told, { to: 'sentinel', ...asked });
  // It answered: a right or a password is missing, or its answer is none.
  if (told.name === 'ReplyError' || error instanceof RangeError) return `gives no answer of use: ${message}`;
  // That it runs is not in doubt where its certificate is why, or that there is TLS on one side only.
  return remedy === undefined ? `is away: ${message}` : `can't be asked: ${message}`;
}
