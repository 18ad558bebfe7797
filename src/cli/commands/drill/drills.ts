import type { DrillName } from '../../../operations/drill/fault.ts';

export interface Drill {
  readonly name: DrillName;
  readonly summary: string;
  readonly description: string;
  /** Null: it is over by itself. */
  readonly lastsMs: number | null;
  /** What somebody is asked to do, or a command does; undefined: Brume does it. */
  readonly byHand?: {
    readonly begin: string;
    readonly end: string;
    /** A command that begins it also ends it. */
    readonly endsBySelf?: true;
  };
}

export const DRILLS: readonly Drill[] = [
  {
    name: 'redis-failover',
    summary: 'have a replica of Redis take over while its master lives',
    description: 'Tells the Sentinels, or a replica of the Cluster, to make a replica the master.',
    lastsMs: null,
  },
  {
    name: 'redis-hang',
    summary: 'have Redis give no answers for a while',
    description:
      'Pauses all clients of the masters of Redis (CLIENT PAUSE), for 5 s unless told otherwise, and a minute at most: Redis lets nobody end it sooner, and after Ctrl-C the command waits for its end.',
    lastsMs: 5000,
  },
  {
    name: 'redis-flush',
    summary: 'have Brume take all counts in Redis for lost',
    description:
      'Removes the counts of the drill, and the mark by which Brume knows that nothing was lost. Counts of others stay.',
    lastsMs: null,
  },
  {
    name: 'redis-loss',
    summary: 'take Redis away, by hand or by commands, and bring it back',
    description: 'Asks for Redis to be stopped and started again, or runs the commands that do so.',
    lastsMs: 10_000,
    byHand: { begin: 'stop Redis', end: 'start Redis again' },
  },
  {
    name: 'postgres-loss',
    summary: 'take PostgreSQL away, by hand or by commands, and bring it back',
    description: 'Asks for PostgreSQL to be stopped and started again, or runs the commands that do so.',
    lastsMs: 10_000,
    byHand: { begin: 'stop PostgreSQL', end: 'start PostgreSQL again' },
  },
  {
    name: 'node-loss',
    summary: 'take one node of Brume away, by hand or by commands, and bring it back',
    description:
      'Asks for another node to be stopped, or the way to it to be barred, or runs the commands that do so. The nodes that stay are named with --node; one that is taken away loses what is asked of it.',
    // One that is killed is missed after 15 s, and a sign of it is due every 3 s.
    lastsMs: 20_000,
    byHand: { begin: 'take another node of Brume away', end: 'bring it back' },
  },
  {
    name: 'restart',
    summary: 'reload this node under load, by hand or by a command',
    description:
      'Asks for this Brume to be reloaded or restarted, or runs the command that does so: --begin "systemctl reload brume".',
    lastsMs: 0,
    byHand: {
      begin: 'reload or restart Brume on this machine',
      end: 'see that Brume runs',
      endsBySelf: true,
    },
  },
];

export function examplesFor({ name: drill, byHand, lastsMs }: Drill): string[] {
  const unattended = `brume drill ${drill} --yes --report /var/tmp/drills`;
  if (drill === 'restart') return ['brume drill restart', `${unattended} --begin 'systemctl reload brume'`];
  if (byHand !== undefined)
    return [
      `brume drill ${drill}`,
      `${unattended} --begin 'ssh HOST systemctl stop UNIT' --end 'ssh HOST systemctl start UNIT'`,
    ];
  if (drill === 'redis-failover') return ['brume drill redis-failover', `${unattended} --pause-writes 2s`];
  return [`brume drill ${drill}`, lastsMs === null ? unattended : `${unattended} --lasts 10s`];
}
