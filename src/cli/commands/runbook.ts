import type { Command } from 'commander';
import { nearestName } from '../../errors/nearest-name.ts';
import type { Diagnosis, Step } from '../../operations/runbook/check-runbook.ts';
import type { Runbook } from '../../operations/runbook/runbook.ts';
import { name } from '../arguments.ts';
import { defineCommand, defineGroup, withOutputOptions } from '../define-command.ts';
import { EXIT } from '../failure.ts';
import type { Answer, OutputOptions, Session } from '../session.ts';
import { details } from '../table.ts';
import { targetOf } from '../target.ts';
import { UsageError } from '../usage-error.ts';
import { findPatient } from './doctor/patient.ts';

interface CheckOptions extends OutputOptions {
  readonly socket?: string;
  readonly config?: string;
}

/** Long enough for the rates of a quiet system, short enough for who waits. */
const WATCH_MS = 5000;

export function runbookCommands(program: Command, session: Session): void {
  const group = defineGroup(program, 'runbook', 'what to do when an alert fires');

  const list = defineCommand(group, 'list', {
    summary: 'list the runbooks, with the alerts that they are for',
    examples: ['brume runbook list'],
  });
  withOutputOptions(list).action((options: OutputOptions) => session.answer(options, listAll));

  const show = defineCommand(group, 'show <name>', {
    summary: 'show a runbook: what it means, what to look at, what to do',
    examples: ['brume runbook show redis-away', 'brume runbook show flood | less'],
  });
  withOutputOptions(show).action((wanted: string, options: OutputOptions) =>
    session.answer(options, async () => {
      const { name: found, title, alerts, text } = await runbookOf(wanted);
      return { json: { name: found, title, alerts, text }, text: text.trimEnd() };
    }),
  );

  const check = defineCommand(group, 'check <name>', {
    summary: 'look at what the diagnosis of a runbook asks about, and say where one is',
    description:
      'Looks at what the diagnosis of a runbook asks about, on the node of this machine, and changes nothing. Prints each row with what it was decided by, and what to do by the first one that holds. What grows is watched for 5 seconds. The exit code is 0 if a row holds, also the one that says that it is over, and 1 if none does, or if the node has no figure that tells whether the alert has a reason.',
    examples: ['brume runbook check redis-away', 'brume runbook check disk-nearly-full --json'],
  })
    .option('--socket <path>', 'admin socket of the Brume to look at (default: as for brume status)', name)
    .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)', name);
  withOutputOptions(check).action((wanted: string, options: CheckOptions) =>
    session.answer(options, () => checked(wanted, options)),
  );
}

async function listAll(): Promise<Answer> {
  const { findRunbook, runbookNames } = await import('../../operations/runbook/runbook.ts');
  const all = runbookNames().flatMap((each) => findRunbook(each) ?? []);
  const json = all.map(({ name: each, title, alerts }) => ({ name: each, title, alerts }));
  const lines = all.map(({ name: each, title, alerts }): [string, string] => [
    each,
    alerts.length === 0 ? title : `${title} (${alerts.join(', ')})`,
  ]);
  return { json, text: details(lines) };
}

/** Throws UsageError if there is none of that name. */
async function runbookOf(wanted: string): Promise<Runbook> {
  const { findRunbook, runbookNames } = await import('../../operations/runbook/runbook.ts');
  const names = runbookNames();
  const byAlert = names.find((each) => findRunbook(each)?.alerts.includes(wanted));
  const found = findRunbook(byAlert ?? wanted);
  if (found !== undefined) return found;
  const nearest = nearestName(wanted, names);
  const advice = nearest === undefined ? 'Run: brume runbook list' : `The nearest name is ${nearest}`;
  throw new UsageError(`There is no runbook "${wanted}". ${advice}`);
}

async function checked(wanted: string, { socket, config }: CheckOptions): Promise<Answer> {
  const runbook = await runbookOf(wanted);
  if (runbook.branches.length === 0) {
    throw new UsageError(
      `${runbook.name} has nothing to look at by command: brume runbook show ${runbook.name}`,
    );
  }
  const [{ checkRunbook }, { examine }, { unitStatesBehind }] = await Promise.all([
    import('../../operations/runbook/check-runbook.ts'),
    import('../../operations/doctor/doctor.ts'),
    import('../../operations/installed/unit-states.ts'),
  ]);
  const target = targetOf(socket === undefined ? {} : { socket });
  const diagnosis = await checkRunbook(runbook, {
    target,
    watchMs: WATCH_MS,
    units: () => unitStatesBehind(target),
    examine: async () => {
      const { patient, findings } = await findPatient({ file: config, through: undefined });
      return patient === undefined ? findings : [...findings, ...(await examine(patient))];
    },
  });
  return {
    json: { name: runbook.name, ...diagnosis },
    text: text(runbook, diagnosis),
    exitCode: diagnosis.branch === null ? EXIT.refused : 0,
  };
}

function text(runbook: Runbook, { steps, alert, missing, branch }: Diagnosis): string {
  const lines = steps.map(stepLine).join('\n');
  const head = `${runbook.title}\n\n${lines}`;
  const show = `brume runbook show ${runbook.name}`;
  if (branch === null) {
    const why =
      alert === 'unknown'
        ? `This node does not have ${missing.join(', ')}, so it can't be told whether there is a reason for the alert here. Is it the node that the alert names?`
        : 'No row holds: the fault is over, or another one.';
    return `${head}\n\n${why} Read: ${show}`;
  }
  const what = branch.text ?? `Go on with: brume runbook check ${branch.target.replace(/\.md(#.*)?$/, '')}`;
  const over = `There is no reason for ${runbook.alerts.join(' or ')} on this node now.\n\n`;
  return `${head}\n\nYou are here: ${branch.title}\n\n${alert === 'over' ? over : ''}${what}`;
}

/** `no   brume_redis_connected == 0 (1): Redis does not answer` */
function stepLine({ condition, title, holds, values }: Step): string {
  const answer = holds === null ? '?' : holds ? 'yes' : 'no';
  const seen = values.map(([, value]) => (value === null ? 'not there' : shortened(value)));
  const by = seen.length === 0 ? '' : ` (${seen.join(', ')})`;
  return `${answer.padEnd(3)}  ${condition ?? 'otherwise'}${by}: ${title}`;
}

function shortened(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}
