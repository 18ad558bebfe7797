import { type Command, InvalidArgumentError } from 'commander';
import type { ApiClient } from '../../../client/api-client.ts';
import type { Change } from '../../../client/rules.ts';
import { name, wholeNumber } from '../../arguments.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { formatTime } from '../../duration.ts';
import { printable } from '../../printable.ts';
import { projectOf } from '../../project-option.ts';
import type { AdminOptions, Answer, Session } from '../../session.ts';
import { details, table } from '../../table.ts';
import { changeText } from './change-text.ts';

interface Options extends AdminOptions {
  readonly limit?: number;
}

const SHOWN_DEFAULT = 20;
/** As many are kept of a project. */
const SHOWN_MAX = 1000;

export function rulesHistory(group: Command, session: Session): void {
  const command = defineCommand(group, 'history', {
    summary: 'show who changed the rules of a project, when, and what',
    description:
      'Lists the changes of the namespaces, blocks, exemptions and overrides of a project, however they were made, the latest first; the latest 1,000 are kept. With a revision it shows what that change did.',
    examples: [
      'brume rules history shop',
      'brume rules history shop --limit 100',
      'brume rules history shop 41',
    ],
  })
    .argument('[project]', 'name or id (default: the only one there is)', name)
    .argument('[revision]', 'of the change to show', wholeNumber)
    .option('--limit <n>', `how many to list, at most ${SHOWN_MAX} (default: ${SHOWN_DEFAULT})`, shownCount);
  withAdminOptions(command).action(
    (project: string | undefined, revision: number | undefined, options: Options) =>
      session.ask(options, async (client) => {
        const named = await projectOf(client, { ...options, ...(project !== undefined && { project }) });
        return revision === undefined
          ? list(client, named, options.limit ?? SHOWN_DEFAULT)
          : show(client, named, revision);
      }),
  );
}

async function list(client: ApiClient, project: string, limit: number): Promise<Answer> {
  const json = await client.rules.listChanges(project, { limit });
  if (json.items.length === 0) return { json, text: `No change of ${project} is recorded yet.` };
  return { json, text: changesTable(json.items) };
}

/** Changes under each other. */
export function changesTable(changes: readonly Change[]): string {
  const rows = changes.map(({ revision, createdAt, author, summary }) => [
    revision,
    formatTime(createdAt),
    author,
    summary,
  ]);
  return table(['REVISION', 'WHEN', 'AUTHOR', 'WHAT'], rows);
}

async function show(client: ApiClient, project: string, revision: number): Promise<Answer> {
  const json = await client.rules.showChange(project, revision);
  const head = details([
    ['Revision', String(json.revision)],
    ['When', formatTime(json.createdAt)],
    ['Author', json.author],
    ['What', json.summary],
  ]);
  return { json, text: `${head}\n\n${printable(project)}:\n${changeText(json)}` };
}

function shownCount(text: string): number {
  const count = wholeNumber(text);
  if (count < 1 || count > SHOWN_MAX) {
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${SHOWN_MAX}.`);
  }
  return count;
}
