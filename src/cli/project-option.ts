import type { Command } from 'commander';
import type { ApiClient } from '../client/api-client.ts';
import { name } from './arguments.ts';
import type { AdminOptions } from './session.ts';
import { UsageError } from './usage-error.ts';

export interface ProjectOptions extends AdminOptions {
  readonly project?: string;
}

/** So many names help to choose; more of them don't. */
const NAMES_SHOWN_MAX = 20;

/** Adds --project. */
export function withProjectOption(command: Command): Command {
  return command.option('--project <project>', 'name or id (default: the only one there is)', name);
}

/** The project that was named, or the only one. Rejects with a UsageError where it has to be named. */
export async function projectOf(client: ApiClient, { project }: ProjectOptions): Promise<string> {
  if (project !== undefined) return project;
  const names = (await client.listProjects()).map((one) => one.name);
  const [only] = names;
  if (only === undefined)
    throw new UsageError('There is no project yet. Create one with: brume project create NAME');
  if (names.length === 1) return only;
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ');
  const more = names.length > NAMES_SHOWN_MAX ? ` and ${names.length - NAMES_SHOWN_MAX} more` : '';
  throw new UsageError(`Say which project with --project NAME. There are: ${shown}${more}.`);
}
