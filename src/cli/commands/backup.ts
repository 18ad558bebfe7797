import type { Command } from 'commander';
import { name } from '../arguments.ts';
import { onStores, storesOf } from '../by-hand/stores-command.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import { printableJson } from '../printable.ts';
import type { OutputOptions, Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { backupJson, backupText } from './backup-text.ts';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly verify?: boolean;
}

export function backup(program: Command, session: Session): void {
  const command = defineCommand(program, 'backup', {
    summary: 'write all that is configured, and the embedded counters, to one file',
    description:
      'Writes everything that is in the configuration store (projects, keys, namespaces, exceptions, history, checkpoints of quotas) as it is at one moment, and the embedded counters, to one compressed file, while Brume serves. Counters in Redis are not part of it. The file holds secrets: the hashes of the keys and the secret by which identifiers are hashed; only its owner can read it. With --verify it writes nothing and checks that a file is a whole backup.',
    examples: [
      'brume backup /var/backups/brume-$(date +%F).backup',
      'brume backup - | age -r age1… > brume.backup.age',
      'brume backup --verify /var/backups/brume-2026-11-29.backup',
    ],
  })
    .argument('<file>', 'the file; - is standard output, or standard input with --verify', name)
    .option('--verify', 'check a backup, and write nothing')
    .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)');
  withOutputOptions(command).action(async (file: string, options: Options) => {
    if (options.verify === true) return session.answer(options, () => verify(file));
    if (file === '-') return toStandardOutput(session, options);
    return session.answer(options, async () => {
      const stores = await storesOf(options.config);
      const { config, owner, used } = stores;
      const { backupToFile } = await import('../../operations/backup/backup.ts');
      const summary = await onStores(stores, () => backupToFile(config, file, owner));
      const text = backupText(`Written to ${file}`, summary);
      return { json: { ...backupJson(summary), used }, text: `${text}\n${stores.text}` };
    });
  });
}

async function verify(file: string) {
  const { verifyBackup } = await import('../../operations/backup/verify.ts');
  const { openInput } = await import('../../operations/backup/open-input.ts');
  const { input, name: shown } = await openInput(file);
  const summary = await verifyBackup(input, shown);
  return { json: backupJson(summary), text: backupText(`${shown} is a whole backup`, summary) };
}

/** Nothing but the backup goes there: what is said of it goes to standard error. */
async function toStandardOutput(session: Session, options: Options): Promise<void> {
  session.isJson = options.json === true;
  if (process.stdout.isTTY)
    throw new UsageError('A backup is no text for a terminal: name a file, or send it into a pipe.');
  const stores = await storesOf(options.config);
  const { config, owner, used } = stores;
  const [{ backupTo }, { asOwner }] = await Promise.all([
    import('../../operations/backup/backup.ts'),
    import('../../operations/installed/as-owner.ts'),
  ]);
  const { stdout } = process;
  const summary = await onStores(stores, () => asOwner(owner, () => backupTo(config, stdout)));
  const text = `${backupText('Written to standard output', summary)}\n${stores.text}`;
  session.terminal.err(session.isJson ? printableJson({ ...backupJson(summary), used }) : text);
}
