import type { Command } from 'commander';
import { defineCommand } from '../define-command.ts';
import { UsageError } from '../usage-error.ts';

export function help(program: Command): void {
  defineCommand(program, 'help [command...]', {
    summary: 'show the help of a command',
    examples: ['brume help', 'brume help namespace create'],
  }).action((path: readonly string[]) => {
    let command = program;
    for (const word of path) {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next === undefined)
        throw new UsageError(`There is no command "${path.join(' ')}". Run: brume help`);
      command = next;
    }
    command.outputHelp();
  });
}
