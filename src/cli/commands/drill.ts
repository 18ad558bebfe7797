import { type Command, InvalidArgumentError, Option } from 'commander';
import { ApiClient } from '../../client/api-client.ts';
import type { Config } from '../../config/config.ts';
import { redisAccess } from '../../config/redis-access.ts';
import { reachable } from '../../operations/doctor/listener-probe.ts';
import type { byHand } from '../../operations/drill/by-hand.ts';
import type { DrillName, Fault } from '../../operations/drill/fault.ts';
import type * as redisFaults from '../../operations/drill/redis-faults.ts';
import type { RedisOf } from '../../operations/drill/redis-faults.ts';
import type { DrillOptions, DrillReport, OwnCounts } from '../../operations/drill/run-drill.ts';
import { OperationError } from '../../operations/operation-error.ts';
import { name } from '../arguments.ts';
import { storesOf } from '../by-hand/stores-command.ts';
import { defineCommand, defineGroup, withOutputOptions } from '../define-command.ts';
import { DURATION_EXPECTED, parseDurationMs } from '../duration.ts';
import { EXIT } from '../failure.ts';
import type { Answer, OutputOptions, Session } from '../session.ts';
import { details, table } from '../table.ts';
import { targetOf } from '../target.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { isYes } from '../yes.ts';

interface Options extends OutputOptions {
  readonly node?: string[];
  readonly rate: number;
  readonly policy: 'open' | 'closed' | 'local';
  readonly lasts?: number;
  readonly pauseWrites?: number;
  readonly begin?: string;
  readonly end?: string;
  readonly live?: boolean;
  readonly yes?: boolean;
  readonly report?: string;
  readonly socket?: string;
  readonly config?: string;
}

interface Drill {
  readonly name: DrillName;
  readonly summary: string;
  readonly description: string;
  /** Null: it is over by itself. */
  readonly lastsMs: number | null;
  /** What somebody is asked to do; undefined: Brume does it. */
  readonly byHand?: { readonly begin: string; readonly end: string };
}

const DRILLS: readonly Drill[] = [
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
    lastsMs: 10_000,
    byHand: { begin: 'take another node of Brume away', end: 'bring it back' },
  },
  {
    name: 'restart',
    summary: 'reload this node under load, by hand or by a command',
    description:
      'Asks for this Brume to be reloaded or restarted, or runs the command that does so: --begin "systemctl reload brume".',
    lastsMs: 0,
    byHand: { begin: 'reload or restart Brume on this machine', end: 'see that Brume runs' },
  },
];

const WHAT_ALL_DO =
  'Drives a load of its own, in a project of its own, at the data planes; looks from outside when the fault is felt, when all is counted again, what is lost and what is admitted beyond the limits; holds that against BRUME_OBJECTIVE_*; and undoes what it did, also after Ctrl-C. Asks before it begins. Refuses on a system that is not healthy, or one that is in use unless --live is given. The exit code is 0 if the objectives are met, and 1 if not.';

export function drillCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'drill', 'rehearse a fault under load, and see what it does');
  for (const drill of DRILLS) {
    const command = defineCommand(group, drill.name, {
      summary: drill.summary,
      description: `${drill.description} ${WHAT_ALL_DO}`,
      examples: examplesFor(drill),
    })
      .option(
        '--node <url...>',
        "data planes that are asked (default: this machine's, as BRUME_LISTEN says)",
        dataPlane,
      )
      .option('--rate <number>', 'checks a second', checkRate, 50)
      .addOption(
        new Option('--policy <policy>', 'onStoreFailure of the namespace of the drill')
          .choices(['open', 'closed', 'local'])
          .default('open'),
      )
      .option('--live', 'also where others ask for verdicts now')
      .option('-y, --yes', "don't ask; required where nobody can be asked")
      .option('--report <directory>', 'write a report there: JSON, Markdown and a picture', name)
      .option('--socket <path>', 'admin socket of this Brume (default: as for brume status)', name)
      .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)', name);
    if (drill.lastsMs !== null) {
      command.option(
        '--lasts <duration>',
        `how long the fault lasts (default: ${drill.lastsMs}ms)`,
        duration,
      );
    }
    if (drill.name === 'redis-failover') {
      command.option(
        '--pause-writes <duration>',
        'have the master hold back writes meanwhile, so that no count is lost: at most so long',
        duration,
      );
    }
    if (drill.byHand !== undefined) {
      command
        .option(
          '--begin <command>',
          'shell command that brings the fault about, in place of asking somebody to',
        )
        .option('--end <command>', 'shell command that undoes it');
    }
    withOutputOptions(command).action((options: Options) =>
      session.answer(options, () => run(drill, options, session)),
    );
  }
}

async function run(drill: Drill, options: Options, { terminal }: Session): Promise<Answer> {
  if (!terminal.isInteractive) assertUnattended(drill, options);
  const { config } = await storesOf(options.config);
  const [{ runDrill }, { liveRate }, made, { byHand: doneByHand }] = await Promise.all([
    import('../../operations/drill/run-drill.ts'),
    import('../../operations/drill/live-rate.ts'),
    import('../../operations/drill/redis-faults.ts'),
    import('../../operations/drill/by-hand.ts'),
  ]);
  const target = targetOf(options.socket === undefined ? {} : { socket: options.socket });
  const redis = { redisUrl: config.redisUrl, access: redisAccess(config) };
  const ask = async (what: string): Promise<void> => {
    await terminal.ask(`${what}: `);
  };
  return interruptible(async (signal) => {
    const report = await runDrill(drillOptions(drill, options, config), {
      client: new ApiClient(target),
      liveRate: () => liveRate(target),
      faultFor: faultsOf(drill, options, { redis, ask, made, byHand: doneByHand }),
      confirm: (announcement) => confirm(announcement, options, terminal),
      tell: (line) => terminal.err(line),
      signal,
    });
    return answerOf(report, options);
  });
}

function drillOptions(drill: Drill, options: Options, config: Config): DrillOptions {
  return {
    name: drill.name,
    nodes: options.node ?? [ownDataPlane(config.listen)],
    rate: options.rate,
    policy: options.policy,
    lastsMs: lastsMsOf(drill, options),
    objectives: {
      recoveredMs: config.objectiveRecoveredMs,
      lost: config.objectiveLost,
      aboveLimit: config.objectiveAboveLimit,
      slowestMs: config.objectiveSlowestMs,
    },
    isLive: options.live === true,
  };
}

/** Ctrl-C and TERM end what is done by way of the signal, so that it can be undone. */
async function interruptible(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new OperationError('Interrupted; what was done is undone.'));
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    return await work(interruption.signal);
  } catch (error) {
    throw interruption.signal.aborted ? interruption.signal.reason : error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function confirm(announcement: string, { yes }: Options, terminal: Terminal): Promise<void> {
  if (yes === true) return;
  terminal.err(announcement);
  if (!isYes(await terminal.ask('Begin? [y/N] '))) throw new OperationError('Nothing was done.');
}

async function answerOf(report: DrillReport, { report: directory }: Options): Promise<Answer> {
  const { outcomeRows, reportLines, writeReport } = await import('../../operations/drill/report.ts');
  const { facts, verdict } = reportLines(report);
  const written = directory === undefined ? null : await writeReport(directory, report);
  const text = [
    details(facts),
    table(['objective', 'at most', 'seen', ''], outcomeRows(report.outcomes)),
    written === null ? verdict : `${verdict} ${written}`,
  ].join('\n\n');
  return { json: { ...report, written }, text, exitCode: report.isMet ? 0 : EXIT.refused };
}

/** Whoever can't be asked has to have said everything. */
function assertUnattended({ byHand }: Drill, { yes, begin }: Options): void {
  if (yes !== true) throw new UsageError('Nobody can be asked here: add --yes to begin.');
  if (byHand !== undefined && begin === undefined)
    throw new UsageError(`Nobody can be asked here to ${byHand.begin}: give the command with --begin.`);
}

/** What faults are made of; loaded when a drill is done. */
interface Means {
  readonly redis: RedisOf;
  readonly ask: (what: string) => Promise<void>;
  readonly made: typeof redisFaults;
  readonly byHand: typeof byHand;
}

function faultsOf(drill: Drill, options: Options, means: Means): (own: OwnCounts) => Fault {
  const { redis, ask, made, byHand: doneByHand } = means;
  const { begin, end, pauseWrites = 0 } = options;
  return (own) => {
    if (drill.byHand !== undefined) return doneByHand(drill.byHand, { begin, end, ask });
    if (drill.name === 'redis-failover') return made.redisFailover(redis, pauseWrites);
    if (drill.name === 'redis-hang') return made.redisHang(redis, lastsMsOf(drill, options));
    return made.redisFlush(redis, () => own.forget());
  };
}

function lastsMsOf({ lastsMs }: Drill, { lasts }: Options): number {
  return lasts ?? lastsMs ?? 0;
}

function ownDataPlane(listen: { host: string; port: number } | null): string {
  if (listen === null)
    throw new UsageError('BRUME_LISTEN is off: name the data planes with --node http://ADDRESS:PORT.');
  const host = reachable(listen.host);
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}

function examplesFor({ name: drill, byHand, lastsMs }: Drill): string[] {
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

function dataPlane(text: string, before: string[] = []): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.username !== '')
    throw new InvalidArgumentError('Expected a data plane such as http://10.0.0.7:8600.');
  return [...before, url.origin];
}

function checkRate(text: string): number {
  const rate = Number(text);
  if (!/^\d+$/.test(text) || rate < 4 || rate > 2000)
    throw new InvalidArgumentError('Expected a whole number from 4 to 2000.');
  return rate;
}

function duration(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms > 600_000) throw new InvalidArgumentError(`${DURATION_EXPECTED} 10m at most.`);
  return ms;
}
