import { ConfigError } from './config-error.ts';
import { readConfigFile } from './config-file.ts';
import { type Environment, processEnvironment } from './environment.ts';
import { DEFAULT_FILE } from './given-settings.ts';
import { OPTIONS } from './options.ts';

const VARIABLE = 'BRUME_ADMIN_SOCKET';

/**
 * Where the command line finds the admin socket: environment, then the configuration file as far as
 * this user may read it, then the default. The rest of the configuration doesn't matter here.
 */
export function adminSocketPath(options: { env?: Environment; defaultFile?: string } = {}): string {
  const { env = processEnvironment(), defaultFile = DEFAULT_FILE } = options;
  const { kind, default: fallback } = OPTIONS[VARIABLE];
  const { settings } = readConfigFile(defaultFile, { mayBeAbsent: true });
  const inFile = settings.find(({ variable }) => variable === VARIABLE);
  const text = env[VARIABLE] ?? inFile?.text ?? fallback;
  const problem = kind.fault(text);
  if (problem === undefined) return kind.value(text);
  const where = env[VARIABLE] === undefined ? `${defaultFile}, line ${inFile?.line}` : 'environment';
  throw new ConfigError([{ variable: VARIABLE, where, problem, remedy: `Expected: ${kind.expected}` }]);
}
