import { InvalidArgumentError } from 'commander';
import { DURATION_EXPECTED, parseDurationMs } from './duration.ts';

/** Parsers of arguments and options. A throw becomes a usage error that names the argument. */

/** Not blank: an unset variable in a script must not reach a wider route. */
export function name(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.');
  return text;
}

/** A whole number from 0 to 2^53-1, in plain digits. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^(0|[1-9][0-9]*)$/.test(text) || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError(`Expected a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
  }
  return number;
}

/** A duration in milliseconds. */
export function durationMs(text: string): number {
  const parsedMs = parseDurationMs(text);
  if (parsedMs === undefined) throw new InvalidArgumentError(DURATION_EXPECTED);
  return parsedMs;
}

/** For an option that may be repeated. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}
