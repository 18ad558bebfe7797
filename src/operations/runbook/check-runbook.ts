import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionError } from '../../client/connection-error.ts';
import { readMetrics } from '../../client/metrics.ts';
import type { Target } from '../../client/target.ts';
import type { Finding } from '../doctor/finding.ts';
import type { UnitStates } from '../installed/unit-states.ts';
import type { Condition } from './condition.ts';
import { type Facts, holds, values } from './evaluate.ts';
import { type Branch, OVER, type Runbook, sectionOf } from './runbook.ts';
import { type Readings, readingsIn } from './series.ts';

const TIMEOUT_MS = 5000;

/** One row of the diagnosis, as it turned out. */
export interface Step {
  /** As it stands in the runbook; null: whatever else is seen. */
  readonly condition: string | null;
  readonly title: string;
  /** Null: it can't be told here. */
  readonly holds: boolean | null;
  /** What it was decided by; null where the node has no such metric. */
  readonly values: readonly (readonly [string, number | null])[];
}

/** Whether the condition of the alerts holds on this node, as its figures say; null: nothing here says that. */
type AlertState = 'holds' | 'over' | 'unknown' | null;

export interface Diagnosis {
  readonly steps: readonly Step[];
  readonly alert: AlertState;
  /** What would tell that, and is not there; empty where it is known. */
  readonly missing: readonly string[];
  /** The first row that holds; null if there is none, or one would have to know whether the alert's condition does. */
  readonly branch: {
    readonly title: string;
    readonly target: string;
    /** What to do then; null if that is another runbook. */
    readonly text: string | null;
  } | null;
}

export interface CheckOptions {
  readonly target: Target;
  /** How long what grows is watched. Milliseconds. */
  readonly watchMs: number;
  /** What `brume doctor` finds; asked for where the runbook wants to know. */
  readonly examine: () => Promise<readonly Finding[]>;
  /** What systemd says of the node's units. */
  readonly units: () => UnitStates;
}

/** Looks at what the diagnosis of a runbook asks about, changes nothing, and tells where one is. */
export async function checkRunbook(runbook: Runbook, options: CheckOptions): Promise<Diagnosis> {
  const facts = await factsFor(conditionsOf(runbook), options);
  return diagnosed(runbook, facts);
}

/** Where one is, given what is known of the node. */
export function diagnosed({ branches, text: whole }: Runbook, facts: Facts): Diagnosis {
  const seen = branches.map((branch) => stepOf(branch, facts));
  const alert = alertState(seen);
  const firstOver = seen.findIndex(isOver);
  const isUntold = (index: number): boolean => alert === 'unknown' && index > firstOver;
  // What else it may be is a question only where there is a reason for the alert.
  const rest = (index: number): boolean | null => (isUntold(index) ? null : alert !== 'over');
  const steps = seen.map((step, index) => (step.condition === null ? { ...step, holds: rest(index) } : step));
  const first = branches.find((_, index) => steps[index]?.holds === true && !isUntold(index));
  const missing = alert === 'unknown' ? notThere(steps.filter(isOver)) : [];
  if (first === undefined) return { steps, alert, missing, branch: null };
  const { title, target } = first;
  const text = target.startsWith('#') ? (sectionOf(whole, title) ?? null) : null;
  return { steps, alert, missing, branch: { title, target, text } };
}

function alertState(steps: readonly Step[]): AlertState {
  const over = steps.filter(isOver).map(({ holds }) => holds);
  if (over.length === 0) return null;
  if (over.includes(true)) return 'over';
  return over.includes(false) ? 'holds' : 'unknown';
}

function isOver({ title }: Step): boolean {
  return title === OVER;
}

function notThere(steps: readonly Step[]): string[] {
  const all = steps.flatMap(({ values: seen }) => seen);
  return [...new Set(all.filter(([, value]) => value === null).map(([name]) => name))];
}

function stepOf({ condition, title }: Branch, facts: Facts): Step {
  if (condition === null) return { condition: null, title, holds: true, values: [] };
  const { text, parsed } = condition;
  return { condition: text, title, holds: holds(parsed, facts) ?? null, values: values(parsed, facts) };
}

async function factsFor(
  conditions: readonly Condition[],
  { target, watchMs, examine, units }: CheckOptions,
): Promise<Facts> {
  const atoms = conditions.flat();
  // Before doctor, which takes its time: a process that hangs is soon replaced.
  const first = await readingsOf(target);
  const states = units();
  const findings = atoms.some(({ kind }) => kind === 'doctor') ? await examine() : [];
  const before = typeof first === 'object' ? await readingsOf(target) : first;
  const startedMs = performance.now();
  const isWatched = typeof before === 'object' && JSON.stringify(atoms).includes('"rate"');
  if (isWatched) await delay(watchMs);
  const betweenMs = performance.now() - startedMs;
  const now = isWatched ? await readingsOf(target) : before;
  const none: Readings = new Map();
  return {
    answers: typeof now === 'object',
    isSilent: now === 'silent',
    units: states,
    before: typeof before === 'object' ? before : none,
    now: typeof now === 'object' ? now : none,
    betweenMs,
    nowMs: Date.now(),
    findings,
  };
}

function conditionsOf({ branches }: Runbook): Condition[] {
  return branches.flatMap(({ condition }) => (condition === null ? [] : [condition.parsed]));
}

/** Undefined: nobody is there; `silent`: somebody is, and does not answer. */
async function readingsOf(target: Target): Promise<Readings | 'silent' | undefined> {
  try {
    return readingsIn(await readMetrics(target, TIMEOUT_MS));
  } catch (error) {
    // Whoever may not ask can't tell whether it answers.
    if (error instanceof ConnectionError && error.fault !== 'not_permitted')
      return error.fault === 'timeout' ? 'silent' : undefined;
    throw error;
  }
}
