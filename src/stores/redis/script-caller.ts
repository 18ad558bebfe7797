import { CountersError } from '../../limiter/counters.ts';
import type { CountersCondition } from '../../limiter/counters-condition.ts';
import type { RedisStats } from '../../telemetry/metrics/store-stats.ts';
import type { Script } from './script.ts';

/** One attempt at a call: the times by which it is judged, and the server that it goes to. */
export interface Attempt {
  /** The server's time now, by this node's estimate. */
  readonly storeNowMs: number;
  /** The same at the moment at which the caller gives up. */
  readonly deadlineMs: number;
  /** All keys must be under the tag of the call's own key. Rejects with whatever the server answers. */
  evaluate(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** The server told its time in the answer. */
  observe(storeNowMs: number): void;
}

/** One of several servers that have the keys among them. */
export interface CallerPart {
  /** A partition tag whose keys it has. */
  readonly tag: string;
  /** What it has, in words. */
  readonly name: string;
  readonly isConnected: boolean;
  /** Whether it has the keys of this one, which is as in CounterCheck. */
  readonly has: (key: string) => boolean;
}

/** How a call is made, other than as usual. */
export interface CallTiming {
  /** By the monotonic clock; absent: when it has taken as long as a call may. */
  readonly givenUpMs?: number;
  /** It is several in one, and rejects with SlotMoving where it has to be made as such. */
  readonly isDivisible?: boolean;
}

/** Some of the keys of a call are on their way to another server: nothing was done, and each by itself can be. */
export class SlotMoving extends CountersError {
  constructor(options?: ErrorOptions) {
    super('unavailable', 'Redis: the keys are being moved to another server of the cluster', options);
  }
}

/**
 * Calls scripts where their keys are, whatever the topology. A call is answered within its time or given
 * up, and carries the store time after which it must do nothing; what may have run is never sent again.
 */
export interface ScriptCaller {
  /**
   * Runs `call`, which may make several attempts, until it settles or the time is up. Where the server that
   * was asked says that another one has the key, and so has done nothing, `call` is run again.
   * Rejects with a CountersError.
   *
   * @param key one of those that the scripts are called with
   */
  within<Result>(
    key: string,
    call: (attempt: () => Attempt) => Promise<Result>,
    timing?: CallTiming,
  ): Promise<Result>;
  /**
   * Keys of one group can be in one call; those of two can't. Absent: all can.
   *
   * @param key as in CounterCheck
   */
  readonly groupOf?: (key: string) => string;
  /** Parts of Redis that lose what is counted, and come back, each by itself. Absent: it is in one piece. */
  readonly parts?: () => readonly CallerPart[];
  /** Which part has the key, by a name that no other part has; '' if none is known. Absent: it is in one piece. */
  readonly partOf?: (key: string) => string;
  /** By this node's estimate; its own time while it has none. */
  storeNowMs(): number;
  /** Resolves with true when Redis can be called for the first time, with false if the first try has failed. */
  firstTry(): Promise<boolean>;
  /** Calls `listener` whenever a server is connected and can be called. */
  onConnect(listener: () => void): void;
  /**
   * Does what a check does, which leaves nothing, and waits for the answer no longer than a call may take;
   * never rejects.
   *
   * @param key of the part that has it; absent: of all parts
   */
  condition(key?: string): Promise<CountersCondition>;
  stats(): RedisStats;
  close(): void;
}
