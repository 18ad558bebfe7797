import { type Command, Option } from 'commander';
import type { LimitOverride } from '../../../client/exceptions.ts';
import { MODE_WORDS } from '../../../policy/rule-words.ts';
import { collect, wholeNumber } from '../../arguments.ts';
import { UsageError } from '../../usage-error.ts';
import type { AddOptions } from '../exceptions/add-command.ts';
import { present, Spec } from '../namespace/spec.ts';

export interface OverrideOptions extends AddOptions {
  readonly limit?: number;
  readonly burst?: number;
  readonly mode?: string;
  readonly set?: readonly string[];
}

const MEMBERS = ['name', 'limit', 'burst', 'mode'];

/** Adds --limit, --burst, --mode and --set. */
export function withOverrideOptions(command: Command): void {
  command
    .option('--limit <n>', 'how many pass instead, where the rule has one limit only', wholeNumber)
    .option('--burst <n>', 'the most that passes at once instead', wholeNumber)
    .addOption(new Option('--mode <mode>', 'of this limit instead').choices(MODE_WORDS))
    .addOption(
      new Option(
        '--set <limit>',
        'one of several limits or quotas: name=minute,limit=600,burst=20; can be repeated',
      )
        .argParser(collect)
        .conflicts(['limit', 'burst', 'mode']),
    );
}

/** What the options say of the limits. Throws UsageError if it is nothing. */
export function limitOverrides({ set, limit, burst, mode }: OverrideOptions): readonly LimitOverride[] {
  if (set !== undefined) return set.map(parseSpec);
  const only = present({ limit, burst, mode });
  if (Object.keys(only).length > 0) return [only];
  throw new UsageError(
    'Say what is to be different: --limit N, --burst N or --mode MODE where the rule has one limit, else --set name=NAME,limit=N.',
  );
}

function parseSpec(text: string): LimitOverride {
  const spec = new Spec('--set', text, MEMBERS);
  const said = { limit: spec.wholeNumber('limit'), burst: spec.wholeNumber('burst'), mode: spec.get('mode') };
  const override = { name: spec.required('name'), ...present(said) };
  if (Object.keys(override).length === 1) throw spec.fault('limit, burst or mode is missing');
  return override;
}
