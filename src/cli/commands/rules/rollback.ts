import type { Command } from 'commander';
import type { ApiClient } from '../../../client/api-client.ts';
import type { Change } from '../../../client/rules.ts';
import { name, wholeNumber } from '../../arguments.ts';
import { type DeleteOptions, withYes } from '../../confirm-delete.ts';
import { defineCommand, withAdminOptions } from '../../define-command.ts';
import { EXIT } from '../../failure.ts';
import { printable } from '../../printable.ts';
import type { Answer, Session } from '../../session.ts';
import { UsageError } from '../../usage-error.ts';
import { isYes } from '../../yes.ts';
import { changeText } from './change-text.ts';
import { changesTable } from './history.ts';

export function rulesRollback(group: Command, session: Session): void {
  const command = defineCommand(group, 'rollback', {
    summary: 'put back the rules that held after an earlier change',
    description:
      'Puts back namespaces, blocks, exemptions and overrides as they were after the change with this revision, in one change of its own: it can be rolled back too. Deleted namespaces return with what was used, as far as its time is not over. Keys are not touched.',
    examples: ['brume rules rollback shop 41', 'brume rules rollback shop 41 --yes'],
  })
    .argument('<project>', 'name or id', name)
    .argument(
      '<revision>',
      'of the change after which things were right, as brume rules history lists it',
      wholeNumber,
    );
  withYes(withAdminOptions(command)).action((project: string, revision: number, options: DeleteOptions) =>
    session.ask(options, async (client) => {
      const undone = await changesAfter(client, project, revision);
      const [latest] = undone;
      if (latest === undefined) return unchanged(client, project, revision);
      if (!(await isConfirmed(session, project, undone, options))) return NOT_ROLLED_BACK;
      const json = await client.rules.rollBack(project, revision, { expectedRevision: latest.revision });
      const text = `${changeText(json)}\n\nRolled back to revision ${revision}, as revision ${json.revision}: ${json.summary}.`;
      return { json, text };
    }),
  );
}

const NOT_ROLLED_BACK: Answer = {
  json: { rolledBack: false },
  text: 'Nothing was changed.',
  exitCode: EXIT.refused,
};

/** The latest first. */
async function changesAfter(
  client: ApiClient,
  project: string,
  revision: number,
): Promise<readonly Change[]> {
  const { items } = await client.rules.listChanges(project, { limit: 1000 });
  return items.filter((change) => change.revision > revision);
}

/** Nothing has come after it; that there is such a revision has still to be found out. */
async function unchanged(client: ApiClient, project: string, revision: number): Promise<Answer> {
  const change = await client.rules.showChange(project, revision);
  return {
    json: { revision: change.revision, summary: 'nothing changed', items: [], effects: [] },
    text: `Nothing to undo: ${revision} is the last change of ${printable(project)}.`,
  };
}

async function isConfirmed(
  { terminal }: Session,
  project: string,
  undone: readonly Change[],
  { yes = false }: DeleteOptions,
): Promise<boolean> {
  if (yes) return true;
  const what = undone.length === 1 ? 'this change' : `these ${undone.length} changes`;
  if (!terminal.isInteractive) {
    throw new UsageError(
      `Nobody can be asked here: add --yes to undo ${undone.length} of the project's changes.`,
    );
  }
  terminal.err(`${changesTable(undone)}\n`);
  return isYes(await terminal.ask(`Undo ${what} of ${printable(project)}? [y/N] `));
}
