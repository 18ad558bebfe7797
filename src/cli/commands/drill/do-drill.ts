import { ApiClient } from '../../../client/api-client.ts';
import type { Config } from '../../../config/config.ts';
import { redisAccess } from '../../../config/redis-access.ts';
import { messageOf } from '../../../errors/message-of.ts';
import { reachable } from '../../../operations/doctor/listener-probe.ts';
import type { Fault } from '../../../operations/drill/fault.ts';
import type { DrillOptions, DrillReport } from '../../../operations/drill/run-drill.ts';
import { OperationError } from '../../../operations/operation-error.ts';
import { storesOf } from '../../by-hand/stores-command.ts';
import { EXIT } from '../../failure.ts';
import { interruptible } from '../../interruptible.ts';
import { printableJson } from '../../printable.ts';
import type { Answer, OutputOptions, Session } from '../../session.ts';
import { details, table } from '../../table.ts';
import { targetOf } from '../../target.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { isYes } from '../../yes.ts';
import type { Drill } from './drills.ts';

export interface DoDrillOptions extends OutputOptions {
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

/** Does one drill, from what was typed to what is told. */
export async function doDrill(drill: Drill, options: DoDrillOptions, { terminal }: Session): Promise<Answer> {
  assertUndone(drill, options);
  if (!terminal.isInteractive) assertUnattended(drill, options);
  const { config } = await storesOf(options.config);
  const { runDrill } = await import('../../../operations/drill/run-drill.ts');
  const { liveRate } = await import('../../../operations/drill/live-rate.ts');
  const target = targetOf(options.socket === undefined ? {} : { socket: options.socket });
  const fault = await faultOf(drill, options, { config, terminal });
  return interruptible(async ({ signal, giveUp }) => {
    if (options.report !== undefined) await proveReport(options.report);
    const report = await runDrill(drillOptions(drill, options, config), {
      client: new ApiClient(target),
      isLive: options.live === true,
      liveRate: (until) => liveRate(target, until),
      usageWriteMs: config.usageWriteMs,
      fault,
      confirm: (announcement) => confirm(announcement, { options, terminal, signal }),
      tell: (line) => terminal.err(line),
      signal,
      giveUp,
    });
    return answerOf(report, options);
  });
}

/** Whoever gives a command for one half has to say what becomes of the other. */
function assertUndone({ byHand }: Drill, { begin, end }: DoDrillOptions): void {
  if (begin === undefined && end !== undefined)
    throw new UsageError('--end undoes what --begin does: give both, or neither.');
  if (begin !== undefined && end === undefined && byHand?.endsBySelf !== true) {
    throw new UsageError(
      'Say with --end how it is undone; where it comes back by itself, with a command that does nothing: --end true',
    );
  }
}

/** Whoever can't be asked has to have said everything. */
function assertUnattended({ byHand }: Drill, { yes, begin }: DoDrillOptions): void {
  if (yes !== true) throw new UsageError('Nobody can be asked here: add --yes to begin.');
  if (byHand !== undefined && begin === undefined)
    throw new UsageError(`Nobody can be asked here to ${byHand.begin}: give the command with --begin.`);
}

function drillOptions(drill: Drill, options: DoDrillOptions, config: Config): DrillOptions {
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
  };
}

async function faultOf(
  drill: Drill,
  options: DoDrillOptions,
  { config, terminal }: { config: Config; terminal: Terminal },
): Promise<Fault> {
  const { begin, end, pauseWrites = 0 } = options;
  if (drill.byHand !== undefined) {
    const { byHand } = await import('../../../operations/drill/by-hand.ts');
    return byHand(drill.byHand, { begin, end, ask: (what, signal) => askFor(what, terminal, signal) });
  }
  const made = await import('../../../operations/drill/redis-faults.ts');
  const redis = { redisUrl: config.redisUrl, access: redisAccess(config) };
  if (drill.name === 'redis-failover') return made.redisFailover(redis, pauseWrites);
  if (drill.name === 'redis-hang') return made.redisHang(redis, lastsMsOf(drill, options));
  return made.redisFlush(redis);
}

/** The end of input is no Enter: nobody said that it was done. */
async function askFor(what: string, terminal: Terminal, signal: AbortSignal): Promise<void> {
  if ((await terminal.ask(`${what}: `, signal)) === null)
    throw new OperationError('Nobody can say any more that it is done: standard input has ended.');
}

async function confirm(
  announcement: string,
  { options, terminal, signal }: { options: DoDrillOptions; terminal: Terminal; signal: AbortSignal },
): Promise<void> {
  if (options.yes === true) return;
  terminal.err(announcement);
  if (!isYes(await terminal.ask('Begin? [y/N] ', signal))) throw new OperationError('Nothing was done.');
}

/** What a drill found must not be lost to a directory that can't be written to. */
async function proveReport(directory: string): Promise<void> {
  const { proveReportDirectory } = await import('../../../operations/drill/report.ts');
  await proveReportDirectory(directory);
}

async function answerOf(report: DrillReport, { report: directory }: DoDrillOptions): Promise<Answer> {
  const { outcomeRows, reportLines, writeReport } = await import('../../../operations/drill/report.ts');
  const { facts, verdict } = reportLines(report);
  const told = [details(facts), table(['objective', 'at most', 'seen', ''], outcomeRows(report.outcomes))];
  const isDone = report.isMet && report.notUndone.length === 0;
  const exitCode = isDone ? 0 : EXIT.refused;
  if (directory === undefined)
    return { json: { ...report, written: null }, text: [...told, verdict].join('\n\n'), exitCode };
  try {
    const written = await writeReport(directory, report);
    return { json: { ...report, written }, text: [...told, `${verdict} ${written}`].join('\n\n'), exitCode };
  } catch (error) {
    const unwritten = `The report was not written, and stands here: ${messageOf(error)}`;
    const text = [...told, verdict, unwritten, printableJson(report)].join('\n\n');
    return { json: { ...report, written: null, unwritten }, text, exitCode: EXIT.refused };
  }
}

function lastsMsOf({ lastsMs }: Drill, { lasts }: DoDrillOptions): number {
  return lasts ?? lastsMs ?? 0;
}

function ownDataPlane(listen: { host: string; port: number } | null): string {
  if (listen === null)
    throw new UsageError('BRUME_LISTEN is off: name the data planes with --node http://ADDRESS:PORT.');
  const host = reachable(listen.host);
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}
