import type { Command } from 'commander';
import type { LimitOverride } from '../../../client/exceptions.ts';

/** What the options of an override say of the limits; nothing for the other kinds. */
export interface LimitsOptions {
  readonly limit?: number;
  readonly burst?: number;
  readonly mode?: string;
  readonly set?: readonly string[];
}

/** How a command takes them. */
export interface WithLimits {
  withOptions?(command: Command): void;
  /** Undefined: nothing is said of them. Throws UsageError. */
  limitsOf?(options: LimitsOptions): readonly LimitOverride[] | undefined;
}
