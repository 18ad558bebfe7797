import type { Command } from 'commander';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfigWithSettings, type Setting } from '../../config/load-config.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import { EXIT } from '../failure.ts';
import type { Answer, OutputOptions, Session } from '../session.ts';
import { table } from '../table.ts';

interface Options extends OutputOptions {
  readonly config?: string;
}

export function checkConfig(program: Command, session: Session): void {
  const command = defineCommand(program, 'check-config', {
    summary: 'check the configuration and show every setting',
    description:
      'Checks the configuration as serve would read it, and shows every setting with its source. Secrets are not shown. Nothing is opened or connected to.',
    examples: ['brume check-config', 'brume check-config --config ./brume.conf --json'],
  }).option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)');
  withOutputOptions(command).action((options: Options) =>
    session.answer(options, async () => check(options)),
  );
}

function check({ config: file, json = false }: Options): Answer {
  try {
    const { settings } = loadConfigWithSettings({ file });
    const rows = settings.map((setting) => [setting.variable, shownValue(setting), setting.source]);
    const text = `${table(['SETTING', 'VALUE', 'FROM'], rows)}\n\nThe configuration is valid.`;
    return { json: { valid: true, faults: [], settings }, text };
  } catch (error) {
    // For programs the faults are the result; for people they are an error like any other.
    if (!(error instanceof ConfigError) || !json) throw error;
    return { json: { valid: false, faults: error.faults }, text: '', exitCode: EXIT.configuration };
  }
}

function shownValue({ text, isSecret, source }: Setting): string {
  if (!isSecret) return text ?? '';
  return source === 'default' ? '(not set)' : '(set, not shown)';
}
