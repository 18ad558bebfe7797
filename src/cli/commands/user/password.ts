import type { Command } from 'commander';
import { changePassword } from '../../../client/change-password.ts';
import { managementUrl, name } from '../../arguments.ts';
import { defineCommand, withOutputOptions } from '../../define-command.ts';
import { printable } from '../../printable.ts';
import { readText, VALUE_FILE_BYTES_MAX } from '../../read-text.ts';
import type { OutputOptions, Session } from '../../session.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';

interface Options extends OutputOptions {
  readonly url: string;
}

export function userPassword(group: Command, session: Session): void {
  const command = defineCommand(group, 'password', {
    summary: "change one's own password",
    description:
      'Changes a password that you know. All sessions of the user end. Who has forgotten it gets a link by brume user invite. Where nobody can be asked, the first line of standard input is the password and the second one the new one; neither is ever an argument.',
    examples: [
      'brume user password anna --url https://brume.example.org',
      'brume user password anna --url https://brume.example.org < two-lines.txt',
    ],
  })
    .argument('<login>', 'as you sign in', name)
    .requiredOption('--url <url>', 'management plane on which you sign in, by https', managementUrl);
  withOutputOptions(command).action((login: string, { url, ...options }: Options) =>
    session.answer(options, async () => {
      const passwords = await passwordsOf(session.terminal);
      await changePassword(url, { login, ...passwords });
      const text = `The password of ${printable(login)} is changed; all sessions have ended.`;
      return { json: { changed: true }, text };
    }),
  );
}

async function passwordsOf(terminal: Terminal): Promise<{ password: string; newPassword: string }> {
  if (!terminal.isInteractive) return passwordsIn(await readText('-', terminal, VALUE_FILE_BYTES_MAX));
  const password = await terminal.askSecret('Password: ');
  const newPassword = await terminal.askSecret('New password, of 12 to 256 characters: ');
  if (newPassword !== (await terminal.askSecret('The new one again: '))) {
    throw new UsageError('The two new ones are not the same. Nothing was changed.');
  }
  return { password, newPassword };
}

function passwordsIn(text: string): { password: string; newPassword: string } {
  const [password, newPassword, ...more] = text.replace(/\r?\n$/, '').split(/\r?\n/);
  if (password === undefined || newPassword === undefined || more.length > 0) {
    throw new UsageError('Standard input must have two lines: the password, and the new one.');
  }
  return { password, newPassword };
}
