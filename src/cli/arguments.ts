import { InvalidArgumentError } from 'commander';
import { parseTime, TIME_WORDS } from '../policy/time-text.ts';
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

/** A time, as the API takes it. */
export function time(text: string): string {
  if (parseTime(text) === undefined) throw new InvalidArgumentError(`Expected ${TIME_WORDS}.`);
  return text;
}

/** For an option that may be repeated. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}

/** A management plane: by https, or on this machine, where nobody reads along. */
export function managementUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Expected a URL such as https://brume.example.org.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('Expected a URL without credentials, query and fragment.');
  }
  const isLoopback = /^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback) {
    throw new InvalidArgumentError('Over http everybody on the way could read the token: use https.');
  }
  return text;
}
