import { accessSync, constants, existsSync } from 'node:fs';
import { adminSocketPath } from '../../../config/admin-socket-path.ts';
import type { Config } from '../../../config/config.ts';
import { ConfigError } from '../../../config/config-error.ts';
import { type Environment, processEnvironment } from '../../../config/environment.ts';
import { DEFAULT_FILE, givenSettings, SECRET_FILE_VARIABLES } from '../../../config/given-settings.ts';
import { loadConfigWithSettings, type Setting } from '../../../config/load-config.ts';
import { redisAccess } from '../../../config/redis-access.ts';
import { type Finding, tellerOf } from '../../../operations/doctor/finding.ts';
import type { GivenFile, Patient } from '../../../operations/doctor/patient.ts';
import { findRunning, type Running } from '../../../operations/doctor/running.ts';
import { targetOf } from '../../target.ts';

interface Found {
  /** Undefined: there is no configuration to go by. */
  readonly patient: Patient | undefined;
  /** Of the configuration. */
  readonly findings: readonly Finding[];
  readonly isConfigured: boolean;
}

const tell = tellerOf('configuration');

/** Where systemd takes the credentials of a unit from that names no other place. */
const CREDENTIAL_STORE = '/etc/credstore';

/** What is to be examined: the settings as the process that serves was given them, or the next one will be. */
export async function findPatient({
  file,
  through,
}: {
  file?: string | undefined;
  through: URL | undefined;
}): Promise<Found> {
  const path = file ?? DEFAULT_FILE;
  const hidden = unreadable(path);
  if (hidden !== undefined) return { patient: undefined, findings: [hidden], isConfigured: false };
  try {
    const running = await findRunning(targetOf({ socket: adminSocketPath({ defaultFile: path }) }));
    const { env, hidden: credentials } = environmentOf(running);
    const { config, settings } = loadConfigWithSettings({ env, ...(file !== undefined && { file }) });
    const files = filesOf(path, { env, config, settings });
    const patient = { settings: config, access: redisAccess(config), files, running, through };
    const source = existsSync(path) ? path : `there is no ${path}`;
    const set = settings.filter((setting) => setting.source !== 'default').length;
    const valid = tell.ok(`It is valid: ${source}, ${set} settings are set.`);
    return { patient, findings: [valid, ...credentials], isConfigured: true };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { patient: undefined, findings: error.faults.map(faultFinding), isConfigured: false };
  }
}

/** The default file may be missing; whichever it is, this user may have no right to it. */
function unreadable(path: string): Finding | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const isHidden = error instanceof Error && 'code' in error && error.code === 'EACCES';
    return isHidden
      ? tell.unseen(
          `This user may not read ${path}, and nothing else can be looked at without it.`,
          'Run this as root.',
        )
      : undefined;
  }
}

function faultFinding({ variable, where, problem, remedy }: ConfigError['faults'][number]): Finding {
  const what = variable === null ? where : `${variable} (${where})`;
  const text = `${what}: ${problem}.`;
  // A secret's file that only the service may read is no fault of the configuration.
  return /EACCES|may not read/.test(problem)
    ? tell.unseen(text, 'Run this as root.')
    : tell.failure(text, `${remedy}.`);
}

/** What was set here wins; else what the process was given, or systemd would give to it; and what of that is hidden. */
function environmentOf({ process }: Running): { env: Environment; hidden: readonly Finding[] } {
  const own = processEnvironment();
  if (process?.environment !== undefined) {
    const given = Object.entries(process.environment).filter(([name]) =>
      /^BRUME_|^CREDENTIALS_DIRECTORY$/.test(name),
    );
    return { env: { ...Object.fromEntries(given), ...own }, hidden: [] };
  }
  if (!existsSync(CREDENTIAL_STORE)) return { env: own, hidden: [] };
  if (isReadable(CREDENTIAL_STORE))
    return { env: { CREDENTIALS_DIRECTORY: CREDENTIAL_STORE, ...own }, hidden: [] };
  const hidden = tell.unseen(
    `This user may not look into ${CREDENTIAL_STORE}: secrets there, and stores that they name, are left out.`,
    'Run this as root.',
  );
  return { env: own, hidden: [hidden] };
}

function isReadable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function filesOf(
  path: string,
  { env, config, settings }: { env: Environment; config: Config; settings: readonly Setting[] },
): GivenFile[] {
  const { given } = givenSettings(env, path, { mayBeAbsent: true });
  const hasSecrets = settings.some(({ isSecret, source }) => isSecret && source.startsWith(`${path}, line`));
  const secrets = SECRET_FILE_VARIABLES.flatMap((variable) => {
    const secret = given.get(variable);
    return secret === undefined ? [] : [{ variable, path: secret.text, isSecret: true }];
  });
  const keys = [
    ['BRUME_MANAGEMENT_TLS_KEY', config.managementTlsKey],
    ['BRUME_REDIS_TLS_KEY', config.redisTlsKey],
  ] as const;
  const certificates = [
    ['BRUME_MANAGEMENT_TLS_CERT', config.managementTlsCert],
    ['BRUME_REDIS_TLS_CERT', config.redisTlsCert],
    ['BRUME_REDIS_TLS_CA', config.redisTlsCa],
  ] as const;
  return [
    { variable: null, path, isSecret: hasSecrets },
    ...secrets,
    ...keys.flatMap(([variable, key]) => (key === null ? [] : [{ variable, path: key, isSecret: true }])),
    ...certificates.flatMap(([variable, file]) =>
      file === null ? [] : [{ variable, path: file, isSecret: false }],
    ),
  ];
}
