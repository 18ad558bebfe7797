import type { CheckedNamespace } from './check.ts';
import type { LimitSet } from './counters.ts';

/** What holds for an identifier instead of its namespace's rule. */
export type Exception =
  | { readonly effect: 'block' | 'exempt'; readonly untilMs: number }
  /** The rule's limits, with other numbers. One frozen object for all who have the same. */
  | { readonly effect: 'replace'; readonly untilMs: number; readonly set: LimitSet };

/** `untilMs` of what has no end. */
export const ENDLESS = Number.POSITIVE_INFINITY;

/** The port to blocks, exemptions and overrides as this node knows them, in memory. */
export interface Exceptions {
  /** Which change of the configuration `find` goes by. */
  revision(): number;
  /**
   * The one that decides at this moment (epoch milliseconds), by the contract's precedence.
   * `subject` is the identifier; in a namespace of kind `ip` the full address, before it was cut.
   */
  find(namespace: CheckedNamespace, subject: string, nowMs: number): Exception | undefined;
  /**
   * Reads the configuration again. Never rejects, and resolves soon also if its store doesn't answer:
   * checks wait for it.
   */
  refresh(): Promise<void>;
}

export const NO_EXCEPTIONS: Exceptions = {
  revision: () => 0,
  find: () => undefined,
  refresh: async () => undefined,
};
