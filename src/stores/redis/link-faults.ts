import { messageOf } from '../../errors/message-of.ts';
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
  #why: FaultKind = 'not_connected';
  #isSlow = false;
  /** Of which the next fault is. */
  #server: string | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>, log: Pick<StoreLog, 'warn'>) {
    this.#clock = clock;
    this.#log = log;
  }

  counts(): FaultCounts {
    return { ...this.#counts };
  }

  /** Counts a fault, and gives what is done about it. */
  count(error: unknown): FaultReaction {
    const reaction = reactionTo(messageOf(error));
    this.#counts[reaction.kind]++;
    return reaction;
  }

  tell(error: unknown, { kind, told }: FaultReaction): void {
    const nowMs = this.#clock.monotonicMs();
    if (told === undefined || nowMs < (this.#quietUntilMs.get(told) ?? 0)) return;
    this.#quietUntilMs.set(told, nowMs + QUIET_MS);
    this.#log.warn({ kind, server: this.#server, err: withoutCommand(error) }, told);
  }

  /** Of the last connection that was given up, or could not be made. */
  get why(): FaultKind {
    return this.#why;
  }

  /** The connection is no good any more. */
  giveUp(error: Error): void {
    const reaction = reactionTo(error.message);
    this.#why = reaction.kind;
    this.#isSlow = isSlow(reaction.kind);
    this.tell(error, reaction);
  }

  /** A connection to that place ended, or could not be made; undefined: nobody knows whereto. */
  missConnection(error: Error, server?: string): void {
    this.#server = server;
    const { kind } = this.count(error);
    // One that took too long may show a busy moment, of this machine as well; the next one in a row does not.
    if (isSlow(kind) && !this.#isSlow) {
      this.#why = kind;
      this.#isSlow = true;
    } else this.giveUp(error);
  }

  /** All is well at that place: the next fault is news again. */
  meet(server: string): void {
    this.#server = server;
    this.#quietUntilMs.clear();
    this.#isSlow = false;
  }
}

const isSlow = (kind: string | null) => kind === 'no_answer' || kind === 'slow';

function noFaults(): Record<FaultKind, number> {
  return Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 0])) as Record<FaultKind, number>;
}
