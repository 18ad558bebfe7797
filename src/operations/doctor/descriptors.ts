import { type Finding, tellerOf } from './finding.ts';
import { listenerCount } from './listeners.ts';
import type { Patient } from './patient.ts';
import { ownFilesMax } from './process-facts.ts';

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
  const remedy = `Set LimitNOFILE=${Math.max(65_536, wanted)} (systemctl edit brume@.service), or lower BRUME_CONNECTIONS_MAX.`;
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
