import { isAbsolute, join } from 'node:path';
import { readBoundedFile } from './bounded-file.ts';
import type { ConfigFault } from './config-error.ts';
import type { Environment } from './environment.ts';
import type { Given } from './given.ts';
import type { Variable } from './options.ts';
import { isGivenBy, type ServiceSettings } from './service-settings.ts';

const SECRET_BYTES_MAX = 64 * 1024;

/** The name of a secret's systemd credential: `brume_redis_url`. */
export function credentialName(variable: Variable): string {
  return variable.toLowerCase();
}

/**
 * A secret as its variable, its `…_FILE` or its systemd credential gives it. Two ways at once are a
 * fault: nobody could tell which of them is meant.
 */
export function secretSetting(
  variable: Variable,
  given: ReadonlyMap<string, Given>,
  from: { readonly env: Environment; readonly service?: ServiceSettings | undefined },
): { given?: Given; fault?: ConfigFault } {
  const ways = [
    given.get(variable),
    fromFile(`${variable}_FILE`, given.get(`${variable}_FILE`)),
    fromCredential(variable, from),
  ].filter((way) => way !== undefined);
  const [way, another] = ways;
  if (way === undefined) return {};
  if (another !== undefined) return { fault: ambiguous(variable, ways) };
  return 'text' in way ? { given: way } : { fault: way };
}

function fromFile(variable: string, path: Given | undefined): Given | ConfigFault | undefined {
  if (path === undefined) return undefined;
  if (!isAbsolute(path.text)) {
    return {
      variable,
      where: path.where,
      problem: 'it is not an absolute path',
      remedy: 'Expected: the absolute path of a file that holds the secret and nothing else',
    };
  }
  return readSecret(variable, path.text, `${path.where}, read from ${path.text}`);
}

/** Of this process, if it was given it; else of the service. */
function fromCredential(
  variable: Variable,
  { env, service }: { readonly env: Environment; readonly service?: ServiceSettings | undefined },
): Given | ConfigFault | undefined {
  const name = credentialName(variable);
  const { CREDENTIALS_DIRECTORY: directory = '' } = env;
  if (directory !== '') {
    const secret = readSecret(variable, join(directory, name), `systemd credential ${name}`);
    if ('text' in secret || secret.problem !== ABSENT) return secret;
  }
  if (isGivenBy(env, variable)) return undefined;
  const path = service?.credentials.get(name);
  if (path === undefined) return service?.unusable.get(name) ?? service?.sealed.get(name);
  return readSecret(variable, path, `systemd credential ${name}, read from ${path}`);
}

const ABSENT = 'the file does not exist';

function readSecret(variable: string, path: string, where: string): Given | ConfigFault {
  const remedy = 'Expected: a readable file that holds the secret and nothing else';
  try {
    const text = readBoundedFile(path, SECRET_BYTES_MAX)
      .toString('utf8')
      .replace(/\r?\n$/, '');
    return text.trim() === '' ? { variable, where, problem: 'the file is empty', remedy } : { text, where };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const problem = code === 'ENOENT' ? ABSENT : `the file can't be read (${code})`;
    return { variable, where, problem, remedy };
  }
}

function ambiguous(variable: Variable, ways: readonly { where: string }[]): ConfigFault {
  return {
    variable,
    where: ways.map(({ where }) => where).join('; '),
    problem: `it is given in ${ways.length} ways at once`,
    remedy: `Keep one of ${variable}, ${variable}_FILE and the systemd credential ${credentialName(variable)}`,
  };
}
