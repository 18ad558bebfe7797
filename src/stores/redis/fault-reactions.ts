import { CONDITIONS } from './fault-conditions.ts';
import type { FaultReaction } from './fault-reaction.ts';
import { REPLIES } from './fault-replies.ts';

type ReplyFault = keyof typeof REPLIES;
export type FaultKind = (typeof REPLIES)[ReplyFault]['kind'];

/** The table: what is made of each fault; docs/redis-faults.md shows it. */
export const FAULTS: Readonly<Record<string, FaultReaction>> = { ...REPLIES, ...CONDITIONS };

/** Values of the label `kind`. */
export const FAULT_KINDS: readonly FaultKind[] = [...new Set(Object.values(REPLIES).map(({ kind }) => kind))];

/** What a failed call or connection shows of Redis. */
export function reactionTo(message: string): (typeof REPLIES)[ReplyFault] {
  return Object.values(REPLIES).find((reply) => reply.message.test(message)) ?? REPLIES.other;
}
