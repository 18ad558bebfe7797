import type { Command } from 'commander';
import type { AdminOptions, Answer } from './session.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { isYes } from './yes.ts';

export interface DeleteOptions extends AdminOptions {
  readonly yes?: boolean;
}

/** The answer of a command to which somebody said no. */
export const NOT_DELETED: Answer = { json: { deleted: false }, text: 'Nothing was deleted.', exitCode: 1 };

/** Adds --yes. */
export function withYes(command: Command): Command {
  return command.option('-y, --yes', "don't ask; required where nobody can be asked");
}

/** Asks whether this is really to be deleted. Without a terminal nobody can be asked, and it is refused. */
export async function confirmDelete(
  terminal: Terminal,
  what: string,
  options: DeleteOptions,
): Promise<boolean> {
  if (options.yes === true) return true;
  if (!terminal.isInteractive) throw new UsageError(`Nobody can be asked here: add --yes to delete ${what}.`);
  const answer = await terminal.ask(`Delete ${what}? This can't be undone. [y/N] `);
  return isYes(answer);
}
