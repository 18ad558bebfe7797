import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../client/api-client.ts';
import type { Status } from '../../client/status.ts';
import { messageOf } from '../../errors/message-of.ts';
import { OperationError } from '../operation-error.ts';
import type { DrillName, Fault } from './fault.ts';
import { DrillLoad } from './load.ts';
import { nodesKnow } from './nodes-know.ts';
import { type Objectives, type Outcome, outcomesOf } from './objectives.ts';
import { type Slice, slicesOf } from './slices.ts';
import { type Subjects, subjectsFor } from './subjects.ts';
import { isWellAgain, type Timeline, timelineOf } from './timeline.ts';

export interface DrillOptions {
  readonly name: DrillName;
  /** The data planes that are asked: `http://127.0.0.1:8600`. */
  readonly nodes: readonly string[];
  /** Checks a second. */
  readonly rate: number;
  readonly policy: 'open' | 'closed' | 'local';
  /** How long the fault lasts, unless it is over by itself. */
  readonly lastsMs: number;
  readonly objectives: Objectives;
  /** Also where others ask for verdicts meanwhile. */
  readonly isLive: boolean;
}

export interface DrillDeps {
  readonly client: ApiClient;
  /** Checks a second that others ask for now. */
  readonly liveRate: () => Promise<number>;
  readonly faultFor: (own: OwnCounts) => Fault;
  /** Rejects if somebody says no. */
  readonly confirm: (announcement: string) => Promise<void>;
  readonly tell: (line: string) => void;
  /** Aborted by Ctrl-C: what was done is undone. */
  readonly signal: AbortSignal;
}

/** The counts of the drill's own namespace. */
export interface OwnCounts {
  forget(): Promise<void>;
}

export interface DrillReport {
  readonly drill: DrillName;
  readonly beganAt: string;
  readonly version: string;
  readonly nodes: readonly string[];
  readonly rate: number;
  readonly policy: string;
  /** What was done. */
  readonly fault: string;
  /** Milliseconds from the fault's beginning to its end; null: it ended by itself. */
  readonly faultMs: number | null;
  readonly limit: number;
  readonly timeline: Timeline;
  readonly outcomes: readonly Outcome[];
  readonly isMet: boolean;
  /** What came in each tenth of a second, from the load's beginning. */
  readonly slices: readonly Slice[];
  /** Of the fault, in milliseconds from the load's beginning. */
  readonly faultAtMs: number;
  readonly faultEndAtMs: number;
}

/** A baseline before, and time for what is late after. */
const BEFORE_MS = 4000;
const AFTER_MS = 2000;
const LOOK_EVERY_MS = 200;
/** Nobody waits longer for a recovery. */
const PATIENCE_MS = 120_000;
const NAMESPACE = 'drill';
const PROJECT_START = 'brume-drill-';
/** Longer than any drill. */
const WINDOW_MS = 86_400_000;
const LIVE_MAX = 0.5;

/** Does the drill, and undoes all of it whatever happens. Rejects with OperationError where it must not begin. */
export async function runDrill(options: DrillOptions, deps: DrillDeps): Promise<DrillReport> {
  const { client, tell, signal } = deps;
  const status = await healthyStatus(client);
  await assertQuiet(options, deps);
  const subjects = subjectsFor(options.rate);
  const project = `${PROJECT_START}${Date.now().toString(36)}`;
  const asked = new Set<string>();
  const fault = deps.faultFor({ forget: () => forgetAll(client, project, asked) });
  await deps.confirm(fault.announcement);
  signal.throwIfAborted();
  await removeLeftovers(client);
  const undo: (() => Promise<unknown>)[] = [];
  try {
    undo.push(() => client.deleteProject(project));
    const key = await ownKey(client, project, { subjects, options });
    await nodesKnow({ nodes: options.nodes, key, namespace: NAMESPACE }, signal);
    tell(`A load of ${options.rate} checks a second on ${options.nodes.join(', ')}`);
    const load = new DrillLoad({
      nodes: options.nodes,
      key,
      namespace: NAMESPACE,
      rate: options.rate,
      identifierAt: (atMs) => noted(asked, subjects.identifierAt(atMs)),
    });
    undo.push(() => load.stop());
    await delay(BEFORE_MS, undefined, { signal });
    assertServed(load);
    undo.push(() => fault.end());
    return await observed({ options, deps, load, fault, subjects, status });
  } finally {
    for (const step of undo.reverse()) {
      await step().catch((error: unknown) => tell(`Not undone: ${messageOf(error)}`));
    }
  }
}

async function observed({
  options,
  deps: { tell, signal },
  load,
  fault,
  subjects,
  status,
}: {
  options: DrillOptions;
  deps: DrillDeps;
  load: DrillLoad;
  fault: Fault;
  subjects: Subjects;
  status: Status;
}): Promise<DrillReport> {
  const beganAt = new Date().toISOString();
  const beganMs = performance.now();
  const what = await fault.begin();
  tell(`Begun: ${what}`);
  if (!fault.isOverBySelf) {
    await delay(options.lastsMs, undefined, { signal });
    await fault.end();
    tell('Ended');
  }
  const endedMs = performance.now();
  await untilWell(load, endedMs, signal);
  const samples = await load.stop();
  const timeline = timelineOf(samples, { beganMs, endedMs, limit: subjects.limit });
  const outcomes = outcomesOf(timeline, options.objectives, fault.isOverBySelf);
  return {
    drill: options.name,
    beganAt,
    version: status.version,
    nodes: options.nodes,
    rate: options.rate,
    policy: options.policy,
    fault: what,
    faultMs: fault.isOverBySelf ? null : Math.round(endedMs - beganMs),
    limit: subjects.limit,
    timeline,
    outcomes,
    isMet: outcomes.every(({ isMet }) => isMet),
    slices: slicesOf(samples, load.beganMs),
    faultAtMs: Math.round(beganMs - load.beganMs),
    faultEndAtMs: Math.round(endedMs - load.beganMs),
  };
}

/** A failover may begin a moment after it was asked for, and what is well may not stay so: it is looked at for longer. */
async function untilWell(load: DrillLoad, endedMs: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  const isWell = () => performance.now() >= until || isWellAgain(load.samples, endedMs, performance.now());
  await delay(AFTER_MS, undefined, { signal });
  do {
    while (!isWell()) await delay(LOOK_EVERY_MS, undefined, { signal });
    await delay(AFTER_MS, undefined, { signal });
  } while (!isWell());
}

async function healthyStatus(client: ApiClient): Promise<Status> {
  const status = await client.status();
  if (status.status === 'ready' && status.degraded.length === 0) return status;
  throw new OperationError(
    `This system is not healthy (${status.status}), and a drill would make it worse: see brume status.`,
  );
}

async function assertQuiet({ isLive }: DrillOptions, { liveRate }: DrillDeps): Promise<void> {
  if (isLive) return;
  const rate = await liveRate();
  if (rate <= LIVE_MAX) return;
  throw new OperationError(
    `This system is in use (${rate.toFixed(1)} checks a second). Add --live to do the drill all the same.`,
  );
}

async function ownKey(
  client: ApiClient,
  project: string,
  { subjects, options }: { subjects: Subjects; options: DrillOptions },
): Promise<string> {
  await client.createProject(project);
  await client.createNamespace(project, NAMESPACE, {
    onStoreFailure: options.policy,
    limits: [{ name: 'drill', algorithm: 'fixed_window', limit: subjects.limit, windowMs: WINDOW_MS }],
  });
  return (await client.createKey(project, { name: 'drill', kind: 'service' })).key;
}

/** Of drills that were killed. */
async function removeLeftovers(client: ApiClient): Promise<void> {
  for (const { name } of await client.listProjects())
    if (name.startsWith(PROJECT_START)) await client.deleteProject(name);
}

async function forgetAll(client: ApiClient, project: string, asked: ReadonlySet<string>): Promise<void> {
  for (const identifier of asked) await client.reset(project, { namespace: NAMESPACE, identifier });
}

/** What doesn't work without a fault tells nothing about it. */
function assertServed({ samples }: DrillLoad): void {
  const failed = samples.find(({ fault }) => fault !== null);
  if (samples.length > 0 && failed === undefined) return;
  throw new OperationError(
    failed === undefined
      ? 'No check was answered: name the data planes with --node http://ADDRESS:PORT.'
      : `${failed.node} gave no verdict (${failed.fault}) before the fault began: name the data planes with --node http://ADDRESS:PORT.`,
  );
}

function noted(asked: Set<string>, identifier: string): string {
  asked.add(identifier);
  return identifier;
}
