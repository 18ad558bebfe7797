import { type Command, InvalidArgumentError, Option } from 'commander';
import { durationMs, time } from '../../arguments.ts';
import { timeFromNow } from '../../time-from-now.ts';

/** Longer than anything that isn't without end; a date stays a date. */
const DAYS_MAX = 36_500;

export interface EndOptions {
  /** Milliseconds. */
  readonly for?: number;
  readonly until?: string;
}

/** Adds --for and --until. */
export function withEndOptions(command: Command): Command {
  return command
    .option('--for <duration>', 'ends after 30m, 2h, 7d, …', timeMs)
    .addOption(
      new Option('--until <time>', 'ends at 2030-01-31T12:00:00Z (default: without end)')
        .argParser(time)
        .conflicts('for'),
    );
}

/** When it ends, as the API takes it; undefined if it was not said. */
export function endOf(options: EndOptions): string | undefined {
  return options.for === undefined ? options.until : timeFromNow(options.for);
}

function timeMs(text: string): number {
  const parsedMs = durationMs(text);
  if (parsedMs >= 1000 && parsedMs <= DAYS_MAX * 86_400_000) return parsedMs;
  throw new InvalidArgumentError(`Expected 1s to ${DAYS_MAX}d. Leave it out for one without end.`);
}
