import { nearestName } from '../errors/nearest-name.ts';
import { TOKEN_VARIABLE } from './command-line-token.ts';
import type { ConfigFault } from './config-error.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import type { Environment } from './environment.ts';
import type { Given } from './given.ts';
import { optionOf, VARIABLES } from './options.ts';
import { isGivenBy, type ServiceSettings } from './service-settings.ts';

/** Where the configuration is read from when nobody names a file. */
export const DEFAULT_FILE = '/etc/brume/brume.conf';

/** Variables that name a file with a secret. */
export const SECRET_FILE_VARIABLES: readonly string[] = VARIABLES.filter(
  (variable) => optionOf(variable).isSecret,
).map((variable) => `${variable}_FILE`);

const KNOWN: readonly string[] = [...VARIABLES, ...SECRET_FILE_VARIABLES];

/** What file, unit and environment say, each over the one before it, and every name that is unknown. */
export function givenSettings(
  env: Environment,
  path: string,
  options: { readonly mayBeAbsent: boolean; readonly service?: ServiceSettings | undefined },
): { given: Map<string, Given>; faults: ConfigFault[] } {
  const file: ConfigFile = readConfigFile(path, options);
  const faults = [...file.faults];
  const given = new Map<string, Given>();
  for (const { variable, text, line } of file.settings) {
    const where = `${path}, line ${line}`;
    if (KNOWN.includes(variable)) given.set(variable, { text, where });
    else faults.push(unknownVariable(variable, where));
  }
  for (const [variable, setting] of options.service?.variables ?? []) {
    if (!KNOWN.includes(variable)) faults.push(unknownVariable(variable, setting.where));
    else if (!isGivenBy(env, variable)) given.set(variable, setting);
  }
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('BRUME_') || variable === TOKEN_VARIABLE || text === undefined) continue;
    if (KNOWN.includes(variable)) given.set(variable, { text, where: 'environment' });
    else faults.push(unknownVariable(variable, 'environment'));
  }
  return { given, faults };
}

function unknownVariable(variable: string, where: string): ConfigFault {
  const nearest = nearestName(variable, KNOWN);
  return {
    variable,
    where,
    problem: 'there is no such setting',
    remedy:
      nearest === undefined ? 'Remove it; docs/configuration.md lists all' : `The nearest name is ${nearest}`,
  };
}
