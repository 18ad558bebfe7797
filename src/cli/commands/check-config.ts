import type { Command } from 'commander';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfigWithSettings, type Setting } from '../../config/load-config.ts';
import { redisAccess } from '../../config/redis-access.ts';
import { installedUnit, settingsOf } from '../by-hand/service-settings.ts';
import { defineCommand, withOutputOptions } from '../define-command.ts';
import { EXIT } from '../failure.ts';
import type { Answer, OutputOptions, Session } from '../session.ts';
import { table } from '../table.ts';
import { proofText } from './proof-text.ts';

interface Options extends OutputOptions {
  readonly config?: string;
  readonly connect?: boolean;
}

export function checkConfig(program: Command, session: Session): void {
  const command = defineCommand(program, 'check-config', {
    summary: 'check the configuration and show every setting',
    description:
      'Checks the configuration as serve would read it, and shows every setting with its source. Secrets are not shown. Without --connect no store is opened or connected to. With it PostgreSQL and Redis are connected to and looked at, and nothing is changed there: the exit code is 1 if one of them can not be used, and 0 in spite of warnings.',
    examples: [
      'brume check-config',
      'brume check-config --connect',
      'brume check-config --config ./brume.conf --json',
    ],
  })
    .option('--config <file>', 'configuration file (default: /etc/brume/brume.conf, if it exists)')
    .option('--connect', 'connect to the stores, show what they are, and warn of what is amiss');
  withOutputOptions(command).action((options: Options) => session.answer(options, () => check(options)));
}

async function check({ config: file, json = false, connect = false }: Options): Promise<Answer> {
  try {
    const unit = installedUnit(file);
    const { config, settings } = loadConfigWithSettings({ file, service: unit && settingsOf(unit) });
    const access = redisAccess(config);
    const rows = settings.map((setting) => [setting.variable, shownValue(setting), setting.source]);
    const text = `${table(['SETTING', 'VALUE', 'FROM'], rows)}\n\nThe configuration is valid.`;
    const valid = { valid: true, faults: [], settings };
    if (!connect) return { json: valid, text };
    const { proveStores } = await import('../../operations/prove-stores.ts');
    const stores = await proveStores(config, access);
    const isUsable = stores.every((store) => store.isUsable);
    return {
      json: { ...valid, stores },
      text: `${text}\n\n${proofText(stores, config)}`,
      exitCode: isUsable ? 0 : EXIT.refused,
    };
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
