import type { Limit } from '../../../client/resources.ts';
import { DURATION_EXPECTED, parseDurationMs } from '../../duration.ts';
import { UsageError } from '../../usage-error.ts';

const MEMBERS = ['name', 'algorithm', 'limit', 'window', 'burst'];
export const DEFAULT_ALGORITHM = 'fixed_window';

/** `name=hourly,limit=1000,window=1h` as a limit. */
export function parseLimitSpec(spec: string): Limit & { name: string } {
  const members = new Map<string, string>();
  for (const part of spec.split(',')) {
    const [member = '', value] = part.split(/=(.*)/s);
    if (!MEMBERS.includes(member)) throw fault(spec, `"${member}" is not one of ${MEMBERS.join(', ')}`);
    if (value === undefined || value === '') throw fault(spec, `${member} has no value`);
    if (members.has(member)) throw fault(spec, `${member} is there twice`);
    members.set(member, value);
  }
  const [limitName, limit, window] = ['name', 'limit', 'window'].map((member) => {
    const value = members.get(member);
    if (value === undefined) throw fault(spec, `${member} is missing`);
    return value;
  });
  const windowMs = parseDurationMs(window ?? '');
  if (windowMs === undefined) throw fault(spec, `window is not a duration. ${DURATION_EXPECTED}`);
  const burst = members.get('burst');
  return {
    name: limitName ?? '',
    algorithm: members.get('algorithm') ?? DEFAULT_ALGORITHM,
    limit: wholeNumber(spec, 'limit', limit ?? ''),
    windowMs,
    ...(burst === undefined ? {} : { burst: wholeNumber(spec, 'burst', burst) }),
  };
}

function wholeNumber(spec: string, member: string, text: string): number {
  const number = Number(text);
  if (/^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(number)) return number;
  throw fault(spec, `${member} is not a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`);
}

function fault(spec: string, what: string): UsageError {
  return new UsageError(`--add ${JSON.stringify(spec)}: ${what}`);
}
