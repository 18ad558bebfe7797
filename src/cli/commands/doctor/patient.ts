import { accessSync, constants, existsSync } from 'node:fs';
import { adminSocketPath } from '../../../config/admin-socket-path.ts';
import type { Config } from '../../../config/config.ts';
import { ConfigError } from '../../../config/config-error.ts';
import { type Environment, processEnvironment } from '../../../config/environment.ts';
import { DEFAULT_FILE, givenSettings, SECRET_FILE_VARIABLES } from '../../../config/given-settings.ts';
import { loadConfigWithSettings, type Setting } from '../../../config/load-config.ts';
import { redisAccess } from '../../../config/redis-access.ts';
import type { ServiceSettings } from '../../../config/service-settings.ts';
import { type Finding, tellerOf } from '../../../operations/doctor/finding.ts';
import type { GivenFile, Patient } from '../../../operations/doctor/patient.ts';
import { findRunning, type Running } from '../../../operations/doctor/running.ts';
import { servingPid, socketUnits } from '../../../operations/installed/socket-units.ts';
import { installedUnit, settingsOf } from '../../by-hand/service-settings.ts';
import { targetOf } from '../../target.ts';
import { nextStartFindings } from './next-start.ts';

interface Found {
  /** Undefined: there is no configuration to go by. */
  readonly patient: Patient | undefined;
  /** Of the configuration. */
  readonly findings: readonly Finding[];
  readonly isConfigured: boolean;
}

const tell = tellerOf('configuration');

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
    const unit = installedUnit(file);
    const socket = adminSocketPath({ defaultFile: path });
    const findPid = () => (unit === undefined ? undefined : servingPid());
    const running = await findRunning(targetOf({ socket }), { findPid });
    const isService = unit !== undefined && isOf(running, servingPid());
    const service = isService ? settingsOf(unit) : undefined;
    const given = givenTo(running, service);
    const { config, settings } = loadConfigWithSettings({ ...given, ...(file !== undefined && { file }) });
    const credentials = service?.credentials ?? new Map();
    const files = filesOf(path, { ...given, credentials, config, settings });
    const sockets = isService ? socketUnits() : undefined;
    const installed = sockets && { user: unit?.user, sockets };
    const patient = { settings: config, access: redisAccess(config), files, running, installed, through };
    const source = existsSync(path) ? path : `there is no ${path}`;
    const set = settings.filter((setting) => setting.source !== 'default').length;
    const valid = tell.ok(`It is valid: ${source}, ${set} settings are set.`);
    const next = nextFindings(path, running, service);
    return { patient, findings: [valid, ...given.hidden, ...next], isConfigured: true };
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

/** Whether what answers, if anybody does, is the process of the service. */
function isOf({ status }: Running, pid: number | undefined): boolean {
  return status === undefined || status.pid === pid;
}

interface GivenSettings {
  readonly env: Environment;
  readonly service: ServiceSettings | undefined;
  /** What of it could not be seen. */
  readonly hidden: readonly Finding[];
}

/** What was set here wins; else what the process was given, or systemd would give to it. */
function givenTo({ process }: Running, service: ServiceSettings | undefined): GivenSettings {
  const own = processEnvironment();
  if (process?.environment !== undefined) {
    const given = Object.entries(process.environment).filter(([name]) =>
      /^BRUME_|^CREDENTIALS_DIRECTORY$/.test(name),
    );
    // Of the service only files, to be looked at: the process may have been started before they were changed.
    return { env: { ...Object.fromEntries(given), ...own }, service: undefined, hidden: [] };
  }
  if (service === undefined) return { env: own, service, hidden: [] };
  const hidden = [...service.faults, ...service.sealed.values()].map(({ where }) =>
    tell.unseen(`${where}: secrets there, and stores that they name, are left out.`, 'Run this as root.'),
  );
  return { env: own, service: { ...service, faults: [], sealed: new Map() }, hidden };
}

/** Of a stopped one what is examined is what the next start would be given. */
function nextFindings(path: string, { process }: Running, service: ServiceSettings | undefined): Finding[] {
  const serving = process?.environment;
  return service === undefined || serving === undefined ? [] : nextStartFindings(path, { service, serving });
}

function filesOf(
  path: string,
  {
    env,
    service,
    credentials,
    config,
    settings,
  }: Pick<GivenSettings, 'env' | 'service'> & {
    credentials: ReadonlyMap<string, string>;
    config: Config;
    settings: readonly Setting[];
  },
): GivenFile[] {
  const { given } = givenSettings(env, path, { mayBeAbsent: true, service });
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
    ...[...credentials].map(([name, file]) => ({
      variable: name.toUpperCase(),
      path: file,
      isSecret: true,
      isCredential: true,
    })),
    ...keys.flatMap(([variable, key]) => (key === null ? [] : [{ variable, path: key, isSecret: true }])),
    ...certificates.flatMap(([variable, file]) =>
      file === null ? [] : [{ variable, path: file, isSecret: false }],
    ),
  ];
}
