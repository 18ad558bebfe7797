import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load-config.ts';
import { defineCommand } from '../define-command.ts';
import type { Session } from '../session.ts';

export function serve(program: Command, session: Session): void {
  defineCommand(program, 'serve', {
    summary: 'run Brume in the foreground',
    description:
      'Runs Brume in the foreground until it is told to stop. TERM and INT finish the requests at hand first; a second one ends at once. Listening sockets that systemd hands over are used in place of its own.',
    examples: ['brume serve', 'brume serve --config ./brume.conf', 'BRUME_LISTEN=127.0.0.1:9000 brume serve'],
  })
    .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)')
    .option('--systemd', "listen on systemd's sockets, and refuse to start without them")
    .action(async ({ config: file, systemd = false }: { config?: string; systemd?: boolean }) => {
      const config = await configOrLoggedFault(file);
      // Only this command needs the whole house: the others start faster without it.
      const appliance = await import('../../appliance/serve.ts');
      session.exitCode = await appliance.serve(config, { areSocketsDemanded: systemd });
    });
}

async function configOrLoggedFault(file: string | undefined): Promise<Config> {
  try {
    return loadConfig({ file });
  } catch (error) {
    if (error instanceof ConfigError) {
      const { logRefusedConfiguration } = await import('../../appliance/refused-configuration.ts');
      logRefusedConfiguration(error);
    }
    throw error;
  }
}
