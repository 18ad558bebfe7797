import { messageOf } from '../../errors/message-of.ts';
import type { CountersCondition } from '../../limiter/counters-condition.ts';
import type { FaultReaction } from './fault-reaction.ts';
import { reactionTo } from './fault-reactions.ts';

/** What /ready says of a server that answered a probe with this error, or not at all. */
export function conditionBy(error: unknown): CountersCondition {
  const shown = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { kind, ...reaction } = reactionTo(messageOf(shown));
  return { state: stateBy(reaction), fault: kind };
}

/** The state that a fault of the table brings about. */
export function stateBy({
  check,
  condition,
}: Pick<FaultReaction, 'check' | 'condition'>): CountersCondition['state'] {
  return condition ?? (check === 'answered' ? 'available' : 'unavailable');
}
