import type { Clock } from '../../limiter/clock.ts';
import type { StoreLog } from '../store-log.ts';
import { withoutCommand } from './connection.ts';
import type { FaultReaction } from './fault-reaction.ts';
import { FAULT_KINDS, type FaultKind, reactionTo } from './fault-reactions.ts';

export type FaultCounts = Readonly<Record<FaultKind, number>>;

/** A server that is away is met once a second; that needs no line each time. */
const QUIET_MS = 30_000;

/** Faults of one Redis: counted by kind, and told to the operator, each kind seldom. */
export class LinkFaults {
  readonly #counts = noFaults();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #log: Pick<StoreLog, 'warn'>;
  readonly #quietUntilMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, log: Pick<StoreLog, 'warn'>) {
    this.#clock = clock;
    this.#log = log;
  }

  counts(): FaultCounts {
    return { ...this.#counts };
  }

  /** Counts a fault, and gives what is done about it. */
  count(error: unknown): FaultReaction {
    const reaction = reactionTo(error instanceof Error ? error.message : String(error));
    this.#counts[reaction.kind]++;
    return reaction;
  }

  tell(error: unknown, { kind, told }: FaultReaction): void {
    const nowMs = this.#clock.monotonicMs();
    if (told === undefined || nowMs < (this.#quietUntilMs.get(told) ?? 0)) return;
    this.#quietUntilMs.set(told, nowMs + QUIET_MS);
    this.#log.warn({ kind, err: withoutCommand(error) }, told);
  }

  /** All is well: the next fault is news again. */
  forgetTold(): void {
    this.#quietUntilMs.clear();
  }
}

function noFaults(): Record<FaultKind, number> {
  return Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 0])) as Record<FaultKind, number>;
}
