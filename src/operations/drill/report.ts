import { mkdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../errors/message-of.ts';
import { OperationError } from '../operation-error.ts';
import { writeWholeFile } from '../whole-file.ts';
import type { Outcome } from './objectives.ts';
import { timelinePicture } from './picture.ts';
import type { DrillReport } from './run-drill.ts';

const OBJECTIVES: Readonly<Record<Outcome['objective'], string>> = {
  recoveredMs: 'counted again, ms',
  lost: 'checks without a verdict',
  aboveLimit: 'admitted by the counters above the limit',
  slowestMs: 'slowest answer, ms',
};

/** The same for a terminal and for the Markdown page. */
export function reportLines(report: DrillReport): {
  readonly facts: [string, string][];
  readonly verdict: string;
} {
  const { timeline, faultMs, fault, beganAt, limit, policy, rate, nodes, notUndone } = report;
  const { detectedMs, lostBy, late, lateMs, before } = timeline;
  const lostWhy = Object.entries(lostBy).map(([why, count]) => `${count} ${why}`);
  const facts: [string, string][] = [
    ['fault', fault],
    ['began', beganAt],
    ['lasted', faultMs === null ? 'until it was over by itself' : `${faultMs} ms`],
    [
      'detected',
      detectedMs === null
        ? `not at all: every check was counted within ${lateMs} ms`
        : `${detectedMs} ms after it began`,
    ],
    ['recovered', recoveryText(timeline, faultMs)],
    [
      'checks',
      `${timeline.checks} (${rate} a second on ${nodes.length === 1 ? '1 node' : `${nodes.length} nodes`})`,
    ],
    ['degraded', `${timeline.degraded}, by the policy ${policy}`],
    ['lost', lostWhy.length === 0 ? '0' : `${timeline.lost} (${lostWhy.join(', ')})`],
    [
      'above limit',
      `${timeline.aboveLimit} admitted by the counters, ${timeline.uncounted} by the policy (limit ${limit})`,
    ],
    [
      'slowest',
      `${timeline.slowestMs} ms, 99 % within ${timeline.p99Ms} ms; ${late} counted later than ${lateMs} ms`,
    ],
    ['held up', `${timeline.heldUpMs} ms at most: so late the drill itself was with a check`],
    ...(before.degraded + before.lost + before.late === 0
      ? []
      : [['before it began', beforeText(before)] as [string, string]]),
    ...(report.endFailed === null ? [] : [['not ended', report.endFailed] as [string, string]]),
    ...notUndone.map((what): [string, string] => ['not undone', what]),
  ];
  return { facts, verdict: verdictOf(report) };
}

function verdictOf({ isMet, nothingHappened, endFailed }: DrillReport): string {
  if (nothingHappened !== null) return `The drill shows nothing. Nothing happened: ${nothingHappened}`;
  if (endFailed !== null) return 'The fault could not be ended as it was to be.';
  return isMet ? 'The objectives are met.' : 'The objectives are not met.';
}

function beforeText({ checks, degraded, lost, late }: DrillReport['timeline']['before']): string {
  return `of ${checks} checks ${degraded} degraded, ${lost} lost, ${late} late by themselves`;
}

export function outcomeRows(outcomes: readonly Outcome[]): [string, string, string, string][] {
  return outcomes.map(({ objective, wanted, seen, isMet, since }) => [
    `${OBJECTIVES[objective]}${since === null ? '' : ` after it ${since}`}`,
    String(wanted),
    seen === null ? 'never' : String(seen),
    isMet ? 'met' : 'not met',
  ]);
}

/** Makes the directory of a report, and finds out whether files can be written there before anything depends on it. */
export async function proveReportDirectory(directory: string): Promise<void> {
  const trial = join(directory, `.brume-drill-${process.pid}`);
  try {
    await makeDirectory(directory);
    await writeFile(trial, '', { flag: 'wx' });
    await unlink(trial);
  } catch (error) {
    throw new OperationError(`No report can be written to ${directory}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** With those above it. mkdir's own `recursive` never ends in /proc, which says that what it has is not there. */
async function makeDirectory(path: string): Promise<void> {
  const isThere = async () => (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (await isThere()) return;
  if (dirname(path) !== path) await makeDirectory(dirname(path));
  await mkdir(path).catch(async (error) => {
    if (!(await isThere())) throw error;
  });
}

/** Writes the report as JSON, Markdown and a picture. Gives the path of the Markdown page. */
export async function writeReport(directory: string, report: DrillReport): Promise<string> {
  const name = `${report.drill}-${report.beganAt.replace(/[:.]/g, '-')}`;
  const write = async (ending: string, text: string) => {
    const path = join(directory, `${name}.${ending}`);
    await writeWholeFile(path, async (file) => file.writeFile(text));
    return path;
  };
  await write('json', `${JSON.stringify(report, null, 2)}\n`);
  await write('svg', timelinePicture(report));
  return write('md', markdown(report, `${name}.svg`));
}

function markdown(report: DrillReport, picture: string): string {
  const { facts, verdict } = reportLines(report);
  const rows = outcomeRows(report.outcomes).map((row) => `| ${row.join(' | ')} |`);
  return [
    `# Drill ${report.drill}`,
    `${verdict} Brume ${report.version}.`,
    `![Checks in each tenth of a second, by what came of them](${picture})`,
    ['| | |', '|---|---|', ...facts.map(([what, text]) => `| ${what} | ${text} |`)].join('\n'),
    '## Objectives',
    ['| objective | at most | seen | |', '|---|---|---|---|', ...rows].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

function recoveryText(
  { detectedMs, recoveredMs, recoveredAfterEndMs, isRecoveredBeforeEnd }: DrillReport['timeline'],
  faultMs: number | null,
): string {
  if (detectedMs === null) return 'nothing to recover from';
  if (recoveredMs === null) return 'not while the drill looked';
  const sinceBegan = `${recoveredMs} ms after it began`;
  if (faultMs === null) return sinceBegan;
  // What was due just before the end may have been answered by it.
  const sinceEnded = isRecoveredBeforeEnd
    ? `${faultMs - recoveredMs} ms before`
    : `${recoveredAfterEndMs} ms after`;
  return `${sinceBegan}, ${sinceEnded} it ended`;
}
