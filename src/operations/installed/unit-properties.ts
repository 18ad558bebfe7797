import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const TIMEOUT_MS = 5000;

/** What systemd says of a unit, each property as often as it says it. */
export type UnitProperties = ReadonlyMap<string, readonly string[]>;

/** Asks systemd. Undefined: it doesn't run here, gives no answer, or has no such unit. */
export function unitProperties(unit: string, names: readonly string[]): UnitProperties | undefined {
  const shown = systemctl('show', unit, `--property=LoadState,${names.join(',')}`);
  if (shown === undefined) return undefined;
  const properties = propertiesIn(shown);
  return properties.get('LoadState')?.[0] === 'not-found' ? undefined : properties;
}

/**
 * The lines of a unit's file and its drop-ins, in the order in which systemd reads them: for what `show` does not
 * tell. Undefined as above.
 */
export function unitText(unit: string): string | undefined {
  return systemctl('cat', unit);
}

function systemctl(...args: string[]): string | undefined {
  if (!existsSync('/run/systemd/system')) return undefined;
  try {
    return execFileSync('systemctl', ['--no-pager', ...args], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
}

/** `NAME=value` lines, as `systemctl show` writes them. */
export function propertiesIn(shown: string): UnitProperties {
  const properties = new Map<string, string[]>();
  for (const line of shown.split('\n')) {
    const [, name, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || value === '') continue;
    properties.set(name, [...(properties.get(name) ?? []), value]);
  }
  return properties;
}

/** The words of a list: blanks part them, double quotes hold them together, a backslash takes the next as it is. */
export function wordsIn(list: string): string[] {
  return [...list.matchAll(/(?:"(?:\\.|[^"\\])*"|\\.|[^\s"\\])+/g)].map(([word]) =>
    word.replace(/\\(.)|"/g, (_, escaped: string | undefined) => escaped ?? ''),
  );
}
