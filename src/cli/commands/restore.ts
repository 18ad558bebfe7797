import type { Command } from 'commander';
import type { Restored } from '../../operations/restore/restore.ts';
import { name } from '../arguments.ts';
import { onStores, storesOf } from '../by-hand/stores-command.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import type { OutputOptions, Session } from '../session.ts';
import { backupJson, backupText } from './backup-text.ts';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly replace?: boolean;
}

const COUNTERS: Readonly<Record<Restored['counters'], string>> = {
  restored: 'The embedded counters go on as they were then.',
  none_in_backup:
    'There are no counters in it: quotas go on as of their last checkpoint, windows begin anew.',
  left_out: 'Its embedded counters were left out, since BRUME_REDIS_URL is set: Redis keeps what it has.',
};

export function restore(program: Command, session: Session): void {
  const command = defineCommand(program, 'restore', {
    summary: 'put a backup into the configured stores',
    description:
      'Puts a backup into the stores that the configuration names, all of it or nothing. Brume must not run on them, and they must be empty, unless --replace is given: then the backup takes the place of everything in them. A backup of an older schema is brought up to date.',
    examples: [
      'brume restore /var/backups/brume-2026-11-29.backup',
      'brume restore --replace /var/backups/brume-2026-11-29.backup',
    ],
  })
    .argument('<file>', 'the backup; - reads standard input', name)
    .option('--replace', 'take the place of what is in the stores')
    .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)');
  withOutputOptions(command).action((file: string, options: Options) =>
    session.answer(options, async () => {
      const stores = await storesOf(options.config);
      const { config, owner, used } = stores;
      const [{ restore: put }, { openInput }] = await Promise.all([
        import('../../operations/restore/restore.ts'),
        import('../../operations/backup/open-input.ts'),
      ]);
      const restored = await onStores(stores, async () =>
        put(config, { ...(await openInput(file)), isReplacing: options.replace === true, owner }),
      );
      const { revision, counters, movedSnapshot } = restored;
      const lines = [backupText('Restored', restored), COUNTERS[counters]];
      if (movedSnapshot !== undefined) {
        lines.push(
          `The snapshot of the installation that was there before is now ${movedSnapshot}. On other machines with nodes of it, move snapshot.brume away, too.`,
        );
      }
      lines.push(stores.text);
      const json = {
        ...backupJson(restored),
        revision,
        counters,
        movedSnapshot: movedSnapshot ?? null,
        used,
      };
      return { json, text: lines.join('\n') };
    }),
  );
}
