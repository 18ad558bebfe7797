import { Readable } from 'node:stream';
import { type Command, Command as EmptyCommand, type Option } from 'commander';
import { withAdminOptions } from '../../src/cli/define-command.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { Session } from '../../src/cli/session.ts';

const SILENT = {
  isInteractive: false,
  out: () => {},
  err: () => {},
  ask: async () => '',
  askSecret: async () => '',
  input: () => Readable.from([]),
};

/** What an exit code of the command line means. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done, or allowed'],
  [1, "refused, denied, or Brume can't be reached"],
  [2, 'the command line is wrong'],
  [78, 'the configuration is wrong'],
  [
    130,
    'somebody ended it by Ctrl-C, at a question or while a drill ran; 143 by TERM, 129 by closing the terminal',
  ],
];

/** The command line as it is declared, with nothing behind it. */
export function commandTree(): Command {
  return buildProgram(new Session(SILENT));
}

/** The commands that do something: groups are only their names. */
export function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/** The words by which a command is called, `brume` among them. */
export function wordsOf(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...wordsOf(command.parent), command.name()];
}

/** Those of every command that talks to a running Brume. */
export function adminOptions(): readonly Option[] {
  return withAdminOptions(new EmptyCommand()).options;
}

/** Whether it has --socket. */
export function isForRunningBrume(command: Command): boolean {
  return command.options.some(({ long }) => long === '--socket');
}
