import type { Command } from 'commander';
import type { Status } from '../../client/status.ts';
import { defineCommand, withAdminOptions } from '../define-command.ts';
import { formatTime } from '../duration.ts';
import { EXIT } from '../failure.ts';
import type { AdminOptions, Session } from '../session.ts';
import { type Cell, details, table } from '../table.ts';

export function statusCommand(program: Command, session: Session): void {
  const command = defineCommand(program, 'status', {
    summary: 'show how this node is, and which namespaces are degraded',
    description:
      'Shows what the node that answers says of itself: its stores and their state, its copy of the configuration, the nodes beside it, and the namespaces whose failure policy decides now. A namespace is among these for 10 seconds after its last degraded verdict, so that one which comes and goes is seen. The exit code is 0 if all is well, and 1 if something is degraded, if nodes count in another Redis, or if the node does not answer.',
    examples: ['brume status', 'brume status --json'],
  });
  withAdminOptions(command).action((options: AdminOptions) =>
    session.ask(options, async (client) => {
      const json = await client.status();
      const isWell =
        json.status === 'ready' && json.degraded.length === 0 && json.nodesElsewhere.length === 0;
      return { json, text: text(json), exitCode: isWell ? 0 : EXIT.refused };
    }),
  );
}

function text(status: Status): string {
  const { configuration, counters, snapshot, quotaCheckpoints, degraded } = status;
  const topology = counters.topology === null ? '' : ` (${counters.topology})`;
  const fault = counters.fault === null ? '' : ` (${counters.fault})`;
  const pairs: (readonly [string, Cell])[] = [
    ['status', status.status],
    ['version', status.version],
    ['since', formatTime(status.startedAt)],
    ['process', `${status.pid} on ${status.host}`],
    ['nodes', status.nodes],
    ...elsewherePairs(status),
    ['configuration', `${configuration.kind}: ${configuration.state}`],
    ['counters', `${counters.kind}${topology}: ${counters.state}${fault}`],
    ...circuitPairs(counters),
    ['snapshot', snapshot && `${(snapshot.ageMs / 1000).toFixed(1)} s old, from ${snapshot.source}`],
    ['checkpoints', `${quotaCheckpoints.pending} pending, ${quotaCheckpoints.failures} failures`],
  ];
  return [details(pairs), ...degradedTable(degraded)].join('\n\n');
}

function elsewherePairs({ nodesElsewhere }: Status): [string, Cell][] {
  const nodes = nodesElsewhere.map(({ host, pid }) => `${pid} on ${host}`);
  return nodes.length === 0 ? [] : [['count elsewhere', `${nodes.join(', ')}: see their BRUME_REDIS_URL`]];
}

function circuitPairs({ circuit, mayEvict, slotsAway, losses }: Status['counters']): [string, Cell][] {
  if (circuit === null) return [];
  const { closed, open, halfOpen } = circuit;
  return [
    ['circuit', `${closed} closed, ${open} open, ${halfOpen} half open`],
    ...(mayEvict === true
      ? [['warning', 'Redis may evict counters: see its maxmemory-policy'] as [string, Cell]]
      : []),
    ...(slotsAway.length > 0 ? [['slots away', slotsAway.join(', ')] as [string, Cell]] : []),
    ...(losses > 0 ? [['counts lost', losses] as [string, Cell]] : []),
  ];
}

function degradedTable(degraded: Status['degraded']): string[] {
  if (degraded.length === 0) return [];
  const rows = degraded.map(({ projectId, namespace, policy, fault, since, verdicts }) => [
    namespace,
    projectId,
    policy,
    fault,
    formatTime(since),
    verdicts,
  ]);
  return [`Degraded now:\n${table(['NAMESPACE', 'PROJECT', 'POLICY', 'FAULT', 'SINCE', 'VERDICTS'], rows)}`];
}
