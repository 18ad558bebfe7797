import { version } from '../../version.ts';
import { type Finding, tellerOf } from './finding.ts';
import { ask } from './listener-probe.ts';
import type { Patient } from './patient.ts';
import { isNobodyThere } from './running.ts';
import { ADMIN_SOCKET_BACK } from './socket-unit-remedies.ts';

const tell = tellerOf('service');

/** Whether Brume runs, how it finds itself, and whether it is the one of this configuration and executable. */
export async function examineService(patient: Patient): Promise<Finding[]> {
  const { settings, running } = patient;
  const { status, fault } = running;
  if (status === undefined) {
    const serving = isNobodyThere(running) ? await servingWithoutAdmin(patient) : undefined;
    return [serving ?? absent(settings.adminSocket, fault)];
  }
  const { pid, host, startedAt, degraded } = status;
  const who = `Brume ${status.version} serves, as process ${pid} on ${host} since ${startedAt}`;
  const isWell = status.status === 'ready' && degraded.length === 0;
  const state = isWell
    ? tell.ok(`${who}.`)
    : tell.warning(
        `${who}; it says that it is ${status.status}, and ${degraded.length} namespaces are degraded.`,
        'brume status says which store it is.',
      );
  return [state, ...otherVersion(status.version), ...otherStores({ settings, running })];
}

/** It answers those who check, and nobody can ask how it is. Undefined: it does not serve. */
async function servingWithoutAdmin({ settings, running, installed }: Patient): Promise<Finding | undefined> {
  const pid = running.process?.pid;
  const asked = settings.listen === null ? undefined : { ...settings.listen, isTls: false };
  const heard = asked === undefined || asked.port === 0 ? undefined : await ask(asked);
  if (pid === undefined && heard?.kind !== 'brume') return undefined;
  const who = pid === undefined ? 'A Brume serves' : `Brume serves, as process ${pid}`;
  return tell.failure(
    `${who}, and nobody listens on its admin socket ${settings.adminSocket}: the command line can't reach it, nor can doctor ask how it is.`,
    installed === undefined
      ? 'If it was started with another BRUME_ADMIN_SOCKET, name it here, too; else restart it.'
      : ADMIN_SOCKET_BACK,
  );
}

function absent(adminSocket: string, fault: Patient['running']['fault']): Finding {
  switch (fault) {
    case 'not_permitted':
      return tell.unseen(
        `This user may not open ${adminSocket}, and can't tell how Brume is.`,
        'Run this as root, or as a member of the group brume-admin.',
      );
    case 'timeout':
      return tell.failure(
        `Somebody listens on ${adminSocket}, and does not answer within 5 s.`,
        'Look why it does not start, or hangs: journalctl -u brume -u "brume@*"',
      );
    case 'broken':
      return tell.failure(
        `What listens on ${adminSocket} gives no answer of Brume.`,
        'Stop it, or name another place in BRUME_ADMIN_SOCKET.',
      );
    default:
      return tell.warning(
        'Brume does not run: nobody answers on its admin socket. What it would meet at its start is looked at.',
        'Start it: systemctl start brume',
      );
  }
}

function otherVersion(serving: string): Finding[] {
  if (serving === version) return [];
  return [
    tell.warning(
      `This executable is ${version}, and the one that serves ${serving}.`,
      'Take the new one into service: systemctl reload brume',
    ),
  ];
}

/** A secret that only the service was given would leave doctor looking at stores that nobody uses. */
function otherStores({ settings, running: { status } }: Pick<Patient, 'settings' | 'running'>): Finding[] {
  if (status === undefined) return [];
  const pairs = [
    ['configuration', status.configuration.kind, settings.databaseUrl === null ? 'sqlite' : 'postgresql'],
    ['counters', status.counters.kind, settings.redisUrl === null ? 'embedded' : 'redis'],
  ] as const;
  return pairs
    .filter(([, serving, here]) => serving !== here)
    .map(([what, serving, here]) =>
      tell.warning(
        `The ${what} of the Brume that serves is ${serving}, and by the settings that are seen here it would be ${here}.`,
        'Reload Brume if the settings have changed since it started; else it was given some that this command was not: run this as root, or with the same environment.',
      ),
    );
}
