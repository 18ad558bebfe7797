import { BrumeError } from '../../errors/catalogue.ts';
import type { Fault, Path } from './fault.ts';

/** Members that a file has under another name than the API. */
const FILE_NAMES: Readonly<Record<string, string>> = { windowMs: 'window', ttlMs: 'ttl', expiresAt: 'until' };

/**
 * What a check of the API found at fault, as a fault of the file: `rule.limits[0].windowMs` is
 * `namespaces.login.limits[0].window` there. Anything else than a `bad_request` is thrown on.
 */
export function memberFault(error: unknown, json: unknown, path: Path, root = ''): Fault {
  if (!(error instanceof BrumeError) || error.code !== 'bad_request') throw error;
  const { field = root, message } = error;
  const text = message
    .slice(field.length)
    .trim()
    .replace(/\.$/, '')
    .replaceAll(/\brule\./g, '');
  const [first, ...rest] = partsOf(field);
  const inside = first === undefined || first === root ? rest : [first, ...rest];
  return { path: [...path, ...asWritten(inside, json)], text };
}

function partsOf(field: string): (string | number)[] {
  return (field.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** The last name as the file has it. */
function asWritten(parts: Path, json: unknown): Path {
  const last = parts.at(-1);
  const fileName = FILE_NAMES[String(last)];
  if (fileName === undefined) return parts;
  const around = parts.slice(0, -1).reduce<unknown>(memberOf, json);
  return memberOf(around, String(last)) === undefined ? [...parts.slice(0, -1), fileName] : parts;
}

function memberOf(value: unknown, part: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
}
