import { type Finding, tellerOf } from './finding.ts';
import { listenerCount } from './listeners.ts';
import type { Patient } from './patient.ts';
import { ownFilesMax, ownHardMax } from './process-facts.ts';

const tell = tellerOf('descriptors');

/** Stores, logs, and what Node.js opens for itself. */
const BESIDE_CONNECTIONS = 200;
/** Of those that it may open. */
const OPEN_SHARE_MAX = 0.9;

/** Whether the process may open as many files as connections are let in. */
export function examineDescriptors({ settings, running }: Patient): Finding[] {
  const facts = running.process;
  if (facts === undefined && running.fault === 'not_permitted')
    return [
      tell.unseen("Which process serves can't be told, nor how many files it may open.", 'Run this as root.'),
    ];
  const max = facts === undefined ? ownFilesMax() : facts.filesMax;
  if (max === undefined)
    return [tell.unseen('How many files the process may open is not shown.', 'Run this as root.')];
  const listeners = listenerCount(settings);
  const wanted = listeners * settings.connectionsMax + BESIDE_CONNECTIONS;
  const whose = facts === undefined ? 'A Brume that is started from here' : `Process ${facts.pid}`;
  const may = `${whose} may open ${max} files`;
  const remedy = remedyOf(wanted, facts === undefined ? ownHardMax() : facts.filesHardMax);
  const open = facts?.filesOpen;
  if (open !== undefined && open > max * OPEN_SHARE_MAX)
    return [tell.failure(`${may}, and has ${open} open: soon nobody can connect any more.`, remedy)];
  if (max < wanted)
    return [
      tell.warning(
        `${may}, and BRUME_CONNECTIONS_MAX=${settings.connectionsMax} on ${listeners} listeners would need ${wanted}.`,
        remedy,
      ),
    ];
  return [tell.ok(`${may}${open === undefined ? '' : `, and has ${open} open`}.`)];
}

/** What is beyond the hard limit only root, or systemd, can allow. */
function remedyOf(wanted: number, hardMax: number | undefined): string {
  const limit = Math.max(65_536, wanted);
  const hard =
    hardMax === undefined || hardMax >= wanted
      ? ''
      : ` The hard limit is ${hardMax}: in a shell ulimit -n can't go beyond it, and in a container systemd can't either, unless whoever starts the container allows more.`;
  return `Set LimitNOFILE=${limit} (systemctl edit brume@.service, [Service]), which raises the soft and the hard limit, or lower BRUME_CONNECTIONS_MAX.${hard}`;
}
