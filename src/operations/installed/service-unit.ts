import { type UnitCredentials, unitCredentials } from './unit-credentials.ts';
import { type UnitProperties, unitProperties, unitText, wordsIn } from './unit-properties.ts';

/** Both colours are given the same. */
const UNIT = 'brume@blue.service';

/** What the unit of an installed Brume says of how its process is started. */
export interface ServiceUnit extends UnitCredentials {
  readonly user: string | undefined;
  /** Besides those that the user has. */
  readonly groups: readonly string[];
  readonly environment: readonly (readonly [variable: string, text: string])[];
  readonly environmentFiles: readonly { readonly path: string; readonly mayBeAbsent: boolean }[];
}

/** Undefined: Brume is not installed as a service of this machine, or systemd doesn't run. */
export function serviceUnit(): ServiceUnit | undefined {
  const properties = unitProperties(UNIT, ['User', 'SupplementaryGroups', 'Environment', 'EnvironmentFiles']);
  return properties === undefined ? undefined : serviceUnitOf(properties, unitText(UNIT) ?? '');
}

/** Of what `systemctl show` and `systemctl cat` say. */
export function serviceUnitOf(properties: UnitProperties, text: string): ServiceUnit {
  const lines = (name: string) => properties.get(name) ?? [];
  const words = (name: string) => lines(name).flatMap(wordsIn);
  return {
    user: lines('User')[0],
    groups: words('SupplementaryGroups'),
    environment: words('Environment').map(variableOf),
    environmentFiles: lines('EnvironmentFiles').map((line) => ({
      path: line.replace(/ \(ignore_errors=(yes|no)\)$/, ''),
      mayBeAbsent: line.endsWith('(ignore_errors=yes)'),
    })),
    ...unitCredentials(text),
  };
}

function variableOf(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}
