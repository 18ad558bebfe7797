import type { Command } from 'commander';
import { version } from '../../version.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import type { OutputOptions, Session } from '../session.ts';

export function versionCommand(program: Command, session: Session): void {
  const command = defineCommand(program, 'version', {
    summary: 'show the version',
    examples: ['brume version', 'brume version --json'],
  });
  withOutputOptions(command).action((options: OutputOptions) =>
    session.answer(options, async () => ({ json: { version }, text: `brume ${version}` })),
  );
}
