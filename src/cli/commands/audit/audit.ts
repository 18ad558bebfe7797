import { type Command, Option } from 'commander';
import type { AuditFilter, AuditPlace } from '../../../client/audit.ts';
import { durationMs, name, time, wholeNumber } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import type { AdminOptions, Session } from '../../session.ts';
import { timeFromNow } from '../../time-from-now.ts';
import { entriesAsJson, entriesAsJsonLines, entriesAsText } from './audit-output.ts';

interface Options extends AdminOptions {
  readonly project?: string;
  readonly organisation?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly from?: string;
  /** Milliseconds. */
  readonly last?: number;
  readonly to?: string;
  readonly after?: number;
  readonly limit?: number;
  readonly jsonl?: boolean;
}

export function auditCommand(program: Command, session: Session): void {
  const command = defineCommand(program, 'audit', {
    summary: 'show or export who changed what',
    description:
      'Shows who changed what, when and from where, the oldest change first: of everything, of an organisation or of a project. With --jsonl each change is one line of JSON with what was there before and after. To go on with an export later, name the last revision of it with --after.',
    examples: [
      'brume audit --last 1d',
      'brume audit --project shop --action key.create --json',
      'brume audit --organisation retail --actor user:anna --from 2030-01-01T00:00:00Z',
      'brume audit --jsonl > audit.jsonl',
      'brume audit --jsonl --after "$(tail -n 1 audit.jsonl | jq .revision)" >> audit.jsonl',
    ],
  })
    .option('--project <project>', "only a project's, by name or id", name)
    .addOption(
      new Option('--organisation <organisation>', "only an organisation's, by name or id")
        .argParser(name)
        .conflicts('project'),
    )
    .option('--actor <actor>', 'only changes by user:LOGIN, token:NAME or local:NAME', name)
    .option(
      '--action <action>',
      'only changes of one sort, such as key.create; docs/audit.md lists them',
      name,
    )
    .option('--from <time>', 'begin at 2030-01-31T12:00:00Z', time)
    .addOption(new Option('--last <duration>', 'begin 1h, 1d, … ago').argParser(durationMs).conflicts('from'))
    .option('--to <time>', 'end at 2030-01-31T12:00:00Z', time)
    .option('--after <revision>', 'begin behind this revision', wholeNumber)
    .option('--limit <n>', 'end after so many (default: all)', wholeNumber)
    .addOption(new Option('--jsonl', 'write each change as one line of JSON').conflicts('json'));
  withAdminOptions(command).action((options: Options) => {
    const { limit, jsonl = false, json = false } = options;
    const written = json ? entriesAsJson : jsonl ? entriesAsJsonLines : entriesAsText;
    // Who reads JSON lines reads faults as JSON too.
    return session.askForParts({ ...options, json: json || jsonl }, (client) => {
      const most = limit === undefined ? {} : { limit };
      return written(client.audit.pages(placeOf(options), filterOf(options), most));
    });
  });
}

function placeOf({ project, organisation }: Options): AuditPlace {
  if (project !== undefined) return { project };
  return organisation === undefined ? 'everywhere' : { organisation };
}

function filterOf({ actor, action, from, last, to, after }: Options): AuditFilter {
  const begin = last === undefined ? from : timeFromNow(-last);
  return {
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(begin !== undefined && { from: begin }),
    ...(to !== undefined && { to }),
    ...(after !== undefined && { after }),
  };
}
