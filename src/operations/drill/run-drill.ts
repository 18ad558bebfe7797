import { setTimeout as delay } from 'node:timers/promises';
import type { Status } from '../../client/status.ts';
import { messageOf } from '../../errors/message-of.ts';
import { OperationError } from '../operation-error.ts';
import { assertServed } from './baseline.ts';
import type { DrillName, Fault, OwnCounts } from './fault.ts';
import { DrillLoad } from './load.ts';
import { assertThere, type Looked, lookBefore } from './look-before.ts';
import { nodesKnow } from './nodes-know.ts';
import { nothingHappened } from './nothing-happened.ts';
import { type Outcome, objectivesOf, outcomesOf, type WantedObjectives } from './objectives.ts';
import { DELETE_COMMAND, NAMESPACE, OwnProject } from './own-project.ts';
import { type Slice, slicesOf } from './slices.ts';
import { StatusWatch } from './status-watch.ts';
import { type Subjects, subjectsFor } from './subjects.ts';
import { isWellAgain, type Timeline, timelineOf } from './timeline.ts';
import { Undoing } from './undoing.ts';

export interface DrillOptions {
  readonly name: DrillName;
  /** The data planes that are asked: `http://127.0.0.1:8600`. */
  readonly nodes: readonly string[];
  /** Checks a second. */
  readonly rate: number;
  readonly policy: 'open' | 'closed' | 'local';
  /** How long the fault lasts, unless it is over by itself. */
  readonly lastsMs: number;
  readonly objectives: WantedObjectives;
}

export interface DrillDeps extends Omit<Looked, 'nodes'> {
  readonly fault: Fault;
  /** Rejects if somebody says no. */
  readonly confirm: (announcement: string, signal: AbortSignal) => Promise<void>;
  readonly tell: (line: string) => void;
  /** Aborted when the drill is to end: what was done is undone. */
  readonly signal: AbortSignal;
  /** Gives what is aborted when nobody waits any more for what is undone just then. */
  readonly giveUp: () => AbortSignal;
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
  /** All objectives, by a fault that was there and was ended. */
  readonly isMet: boolean;
  /** Why this drill shows nothing; null: something happened. */
  readonly nothingHappened: string | null;
  /** Why the fault could not be ended at first; null: it was. */
  readonly endFailed: string | null;
  /** What came in each tenth of a second, from the load's beginning. */
  readonly slices: readonly Slice[];
  /** Of the fault, in milliseconds from the load's beginning. */
  readonly faultAtMs: number;
  readonly faultEndAtMs: number;
  /** What is left of the drill, and how it is removed; empty: nothing. */
  readonly notUndone: readonly string[];
}

/** A baseline before, and time for what is late after. */
const BEFORE_MS = 4000;
const AFTER_MS = 2000;
const LOOK_EVERY_MS = 200;
/** Nobody waits longer for a recovery. */
const PATIENCE_MS = 120_000;
/** Whoever waits for it sees why. */
const TELL_EVERY_MS = 10_000;

/** Does the drill, and undoes all of it whatever happens. Rejects with OperationError where it must not begin. */
export async function runDrill(options: DrillOptions, deps: DrillDeps): Promise<DrillReport> {
  const { fault, confirm, tell, signal, giveUp } = deps;
  tell('Looking whether this system is well, and whether others use it');
  const status = await unlessAborted(lookBefore({ ...deps, nodes: options.nodes }, signal), signal);
  assertThere(options.name, status);
  await unlessAborted(fault.look?.() ?? Promise.resolve(), signal);
  await confirm(fault.announcement, signal);
  const undoing = new Undoing();
  const undo = async () => {
    const left = await undoing.all(giveUp);
    for (const what of left) tell(`Not undone: ${what}`);
    return left;
  };
  try {
    const report = await underLoad(options, { ...deps, status }, undoing);
    if (report.nothingHappened !== null) tell(`Nothing happened: ${report.nothingHappened}`);
    return { ...report, version: status.version, notUndone: await undo() };
  } catch (error) {
    const isUntouched = undoing.isEmpty;
    if ((await undo()).length === 0 && !isUntouched) tell('What was done is undone.');
    throw error;
  }
}

type Observed = Omit<DrillReport, 'version' | 'notUndone'>;
/** With what this node said of itself before. */
type Begun = DrillDeps & { readonly status: Status };

async function underLoad(options: DrillOptions, deps: Begun, undoing: Undoing): Promise<Observed> {
  const { client, fault, tell, signal } = deps;
  const { nodes, rate, policy } = options;
  const subjects = subjectsFor(rate);
  signal.throwIfAborted();
  const project = await OwnProject.make(client, signal);
  undoing.add(DELETE_COMMAND, (giveUp) => project.remove(giveUp));
  const key = await project.fill({ limit: subjects.limit, policy });
  await nodesKnow({ nodes, key, namespace: NAMESPACE }, signal);
  tell(`A load of ${rate} checks a second on ${nodes.join(', ')}`);
  const load = new DrillLoad({
    nodes,
    key,
    namespace: NAMESPACE,
    rate,
    identifierAt: subjects.identifierAt,
  });
  undoing.add('nothing', () => load.stop());
  await delay(BEFORE_MS, undefined, { signal });
  assertServed(nodes, load, performance.now());
  undoing.add(fault.remedy, (giveUp) => fault.end(giveUp));
  const own = { forget: () => project.forget(load.identifiers) };
  return observed({ options, deps, load, own, subjects });
}

interface Observing {
  readonly options: DrillOptions;
  readonly deps: Begun;
  readonly load: DrillLoad;
  readonly own: OwnCounts;
  readonly subjects: Subjects;
}

async function observed({ options, deps, load, own, subjects }: Observing): Promise<Observed> {
  const { client, fault, tell, signal, status } = deps;
  const watch = new StatusWatch(client, status);
  try {
    const beganAt = new Date().toISOString();
    const beganMs = performance.now();
    const what = await fault.begin(own, signal);
    tell(`Begun: ${what}`);
    const { endingMs, endFailed } = await ended(options, deps);
    const endedMs = performance.now();
    if (endFailed === null) await untilWell(load, endedMs, deps);
    const samples = await load.stop();
    const lateMs = options.objectives.slowestMs;
    const moments = { beganMs, endingMs: endingMs ?? endedMs, endedMs };
    const timeline = timelineOf(samples, { ...moments, limit: subjects.limit, lateMs });
    const objectives = objectivesOf(options.objectives, options.name, subjects);
    const outcomes = outcomesOf(timeline, objectives, fault.isOverBySelf);
    const said = await watch.stop();
    const processes = [status, await client.status().catch(() => undefined)] as const;
    const nothing = nothingHappened(options.name, { said, timeline, processes });
    return {
      drill: options.name,
      beganAt,
      nodes: options.nodes,
      rate: options.rate,
      policy: options.policy,
      fault: what,
      faultMs: fault.isOverBySelf ? null : Math.round(endedMs - beganMs),
      limit: subjects.limit,
      timeline,
      outcomes,
      isMet: nothing === null && endFailed === null && outcomes.every(({ isMet }) => isMet),
      nothingHappened: nothing,
      endFailed,
      slices: slicesOf(samples, load.beganMs),
      faultAtMs: Math.round(beganMs - load.beganMs),
      faultEndAtMs: Math.round(endedMs - load.beganMs),
    };
  } finally {
    await watch.stop();
  }
}

/** Ends the fault when it has lasted. What was measured is not given up where that fails: it is undone later. */
async function ended(
  { lastsMs }: DrillOptions,
  { fault, tell, signal }: DrillDeps,
): Promise<{ readonly endingMs?: number; readonly endFailed: string | null }> {
  if (fault.isOverBySelf) return { endFailed: null };
  await delay(lastsMs, undefined, { signal });
  const endingMs = performance.now();
  try {
    await fault.end(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof OperationError)) throw error;
    tell(`Not ended, which is tried once more: ${messageOf(error)}`);
    return { endingMs, endFailed: messageOf(error) };
  }
  tell('Ended');
  return { endingMs, endFailed: null };
}

/** A failover may begin a moment after it was asked for, and what is well may not stay so: it is looked at for longer. */
async function untilWell(load: DrillLoad, endedMs: number, { tell, signal }: DrillDeps): Promise<void> {
  const untilMs = performance.now() + PATIENCE_MS;
  const isWell = () => performance.now() >= untilMs || isWellAgain(load, endedMs, performance.now());
  let tellMs = performance.now() + TELL_EVERY_MS;
  await delay(AFTER_MS, undefined, { signal });
  do {
    while (!isWell()) {
      if (performance.now() >= tellMs) {
        tellMs += TELL_EVERY_MS;
        const patienceSeconds = Math.ceil((untilMs - performance.now()) / 1000);
        tell(`Not all is counted again (${lately(load)}). Looking for ${patienceSeconds} s at most`);
      }
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
    await delay(AFTER_MS, undefined, { signal });
  } while (!isWell());
}

/** What came of the last check that was not counted. */
function lately({ samples, unanswered }: DrillLoad): string {
  const last = samples.findLast(({ fault, isDegraded }) => fault !== null || isDegraded);
  if (last === undefined) return `${unanswered.length} wait for an answer`;
  return `${last.node}: ${last.fault ?? 'by the failure policy'}`;
}

/** At once, though the calls that are under way have no end of their own: nothing is made by them. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: over.signal });
  });
  return Promise.race([work, aborted]).finally(() => over.abort());
}
