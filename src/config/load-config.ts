import type { Config } from './config.ts';
import { ConfigError, type ConfigFault } from './config-error.ts';
import { inconsistencies } from './consistency.ts';
import { convert, defaultHint } from './convert.ts';
import { type Environment, processEnvironment } from './environment.ts';
import type { Given } from './given.ts';
import { DEFAULT_FILE, givenSettings, SECRET_FILE_VARIABLES } from './given-settings.ts';
import { optionOf, VARIABLES, type Variable } from './options.ts';
import { secretSetting } from './secrets.ts';
import type { ServiceSettings } from './service-settings.ts';

export interface LoadOptions {
  readonly env?: Environment;
  /** A file that must exist. Without it, `defaultFile` is read if it exists. */
  readonly file?: string | undefined;
  readonly defaultFile?: string;
  /** Of a command that is run by hand: what the service is given besides. */
  readonly service?: ServiceSettings | undefined;
}

/** A setting as `check-config` shows it. */
export interface Setting {
  readonly variable: Variable;
  /** As it was written; null if it is not set, or a secret. */
  readonly text: string | null;
  readonly isSecret: boolean;
  /** `default`, `environment`, or a file and its line. */
  readonly source: string;
}

/** Reads file, environment and secrets into one frozen configuration, or throws a ConfigError. */
export function loadConfig(options: LoadOptions = {}): Config {
  return loadConfigWithSettings(options).config;
}

/** As `loadConfig`, with every setting's text and source beside it. */
export function loadConfigWithSettings(options: LoadOptions = {}): { config: Config; settings: Setting[] } {
  const { env = processEnvironment(), file, defaultFile = DEFAULT_FILE, service } = options;
  const mayBeAbsent = file === undefined;
  const { given, faults } = givenSettings(env, file ?? defaultFile, { mayBeAbsent, service });
  const blank = takeBlank(given);
  const secrets = takeSecrets(given, env, service);
  const { config, invalid } = convert(given);
  const sourceOf = (variable: Variable) => given.get(variable)?.where ?? 'default';
  const inconsistent = inconsistencies(config, [...invalid, ...blank], sourceOf);

  const unseen = service?.faults ?? [];
  const found = [...unseen, ...faults, ...blank, ...secrets, ...invalid, ...inconsistent];
  if (found.length > 0) throw new ConfigError(found);
  return { config, settings: VARIABLES.map((variable) => settingOf(variable, given.get(variable))) };
}

/** A blank is never read as 0, as false or as "use the default": it may be a template gone wrong. */
function takeBlank(given: Map<string, Given>): ConfigFault[] {
  const blank = [...given].filter(([, { text }]) => text.trim() === '');
  return blank.map(([variable, { where }]) => {
    given.delete(variable);
    const how = where === 'environment' ? 'Unset the variable' : 'Remove the line';
    return {
      variable,
      where,
      problem: 'the value is empty',
      remedy: `${how} to use the default${defaultHint(variable)}`,
    };
  });
}

/** Puts each secret under its own variable, however it was given. */
function takeSecrets(
  given: Map<string, Given>,
  env: Environment,
  service: ServiceSettings | undefined,
): ConfigFault[] {
  const faults: ConfigFault[] = [];
  for (const variable of VARIABLES.filter((name) => optionOf(name).isSecret)) {
    const secret = secretSetting(variable, given, { env, service });
    given.delete(variable);
    if (secret.given !== undefined) given.set(variable, secret.given);
    if (secret.fault !== undefined) faults.push(secret.fault);
  }
  for (const variable of SECRET_FILE_VARIABLES) given.delete(variable);
  return faults;
}

function settingOf(variable: Variable, given: Given | undefined): Setting {
  const { isSecret = false, default: fallback } = optionOf(variable);
  const text = given?.text ?? fallback;
  return { variable, text: isSecret ? null : text, isSecret, source: given?.where ?? 'default' };
}
