import { resolve } from 'node:path';
import type { ConfigFault } from '../../config/config-error.ts';
import { readConfigFile } from '../../config/config-file.ts';
import type { Given } from '../../config/given.ts';
import { DEFAULT_FILE } from '../../config/given-settings.ts';
import { optionOf, VARIABLES } from '../../config/options.ts';
import { credentialName } from '../../config/secrets.ts';
import type { ServiceSettings } from '../../config/service-settings.ts';
import { credentialFiles, ENCRYPTED_STORES, STORES } from '../../operations/installed/credential-files.ts';
import { type ServiceUnit, serviceUnit } from '../../operations/installed/service-unit.ts';

/** As people know it. */
const UNIT = 'brume@.service';

/** Of the credentials, those that Brume reads. */
const NAMES = VARIABLES.filter((variable) => optionOf(variable).isSecret === true).map(credentialName);

/** The unit that is installed. Undefined: there is none, or a file was named that is not the service's. */
export function installedUnit(file: string | undefined): ServiceUnit | undefined {
  return file === undefined || resolve(file) === DEFAULT_FILE ? serviceUnit() : undefined;
}

/**
 * What a unit gives its process besides the configuration file. `stores` and `encrypted` are where credentials
 * without a path are looked for.
 */
export function settingsOf(
  unit: ServiceUnit,
  {
    stores = STORES,
    encrypted = ENCRYPTED_STORES,
  }: Partial<Record<'stores' | 'encrypted', readonly string[]>> = {},
): ServiceSettings {
  const faults: ConfigFault[] = [];
  const variables = new Map<string, Given>();
  for (const [variable, text] of unit.environment) {
    if (variable.startsWith('BRUME_')) variables.set(variable, { text, where: `Environment= of ${UNIT}` });
  }
  // They win over Environment=, as systemd has it.
  for (const { path, mayBeAbsent } of unit.environmentFiles) {
    const file = readConfigFile(path, { mayBeAbsent });
    faults.push(...file.faults);
    for (const { variable, text, line } of file.settings) {
      if (variable.startsWith('BRUME_')) variables.set(variable, { text, where: `${path}, line ${line}` });
    }
  }
  const { files, unusable, hidden } = credentialFiles(unit.credentials, stores);
  const sealed = credentialFiles(unit.encryptedCredentials, encrypted);
  faults.push(...[...hidden, ...sealed.hidden].map(hiddenFault));
  const names = [...sealed.files.keys(), ...unit.setCredentials].filter((name) => NAMES.includes(name));
  return {
    variables,
    credentials: files,
    unusable: new Map([...unusable, ...sealed.unusable].map((found) => [found.name, unusableFault(found)])),
    sealed: new Map(names.map((name) => [name, sealedFault(name)])),
    faults,
  };
}

function hiddenFault(where: string): ConfigFault {
  return {
    variable: null,
    where,
    problem: 'this user may not look there, where secrets of the service are',
    remedy: 'Run this as root',
  };
}

function unusableFault({ name, path, kind }: { name: string; path: string; kind: string }): ConfigFault {
  return {
    variable: name.toUpperCase(),
    where: `systemd credential ${name} of ${UNIT}, ${path}`,
    problem: `it is ${kind}, and systemd can give the service no secret from there`,
    remedy: 'Expected: a file that holds the secret and nothing else; without a secret, nothing of that name',
  };
}

/** Only systemd can open it. */
function sealedFault(name: string): ConfigFault {
  return {
    variable: name.toUpperCase(),
    where: `systemd credential ${name} of ${UNIT}`,
    problem: 'the service is given it encrypted, or in its unit, and this command can not read it',
    remedy:
      `Have systemd hand it over: systemd-run --pipe --wait --collect --same-dir ` +
      `--property=LoadCredentialEncrypted=${name} brume …; or set ${name.toUpperCase()}_FILE for this command`,
  };
}
