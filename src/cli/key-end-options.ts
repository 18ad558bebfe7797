import { type Command, Option } from 'commander';
import { durationMs, time } from './arguments.ts';
import { timeFromNow } from './time-from-now.ts';

export interface KeyEndOptions {
  /** Milliseconds. */
  readonly expiresIn?: number;
  readonly expiresAt?: string;
}

/** Adds --expires-in and --expires-at. */
export function withKeyEnd(command: Command): Command {
  return command
    .option('--expires-in <duration>', 'ends after 12h, 30d, …', durationMs)
    .addOption(
      new Option('--expires-at <time>', 'ends at 2030-01-31T12:00:00Z')
        .argParser(time)
        .conflicts('expiresIn'),
    );
}

/** When the key ends, as the API takes it; nothing if it was not said. */
export function keyEndOf({ expiresIn, expiresAt }: KeyEndOptions): { readonly expiresAt?: string } {
  const end = expiresIn === undefined ? expiresAt : timeFromNow(expiresIn);
  return end === undefined ? {} : { expiresAt: end };
}
