import type { Command } from 'commander';
import { onStores, storesOf } from '../by-hand/stores-command.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import type { OutputOptions, Session } from '../session.ts';

interface Options extends OutputOptions {
  readonly config?: string;
}

export function migrate(program: Command, session: Session): void {
  const command = defineCommand(program, 'migrate', {
    summary: 'bring the schema of the configuration store up to date',
    description:
      'Brings the schema of the configuration store (PostgreSQL, or the embedded database) up to date. serve does so too at its start; running it again changes nothing.',
    examples: ['brume migrate', 'brume migrate --config ./brume.conf --json'],
  }).option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)');
  withOutputOptions(command).action((options: Options) =>
    session.answer(options, async () => {
      const stores = await storesOf(options.config);
      const { config, owner, used } = stores;
      const operation = await import('../../operations/migrate.ts');
      const { applied } = await onStores(stores, () => operation.migrate(config, owner));
      const text = applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`;
      return { json: { applied, used }, text: `${text}\n${stores.text}` };
    }),
  );
}
