import { type Command, Option } from 'commander';
import type { LimitOverride } from '../../../client/exceptions.ts';
import { MODE_WORDS } from '../../../policy/rule-words.ts';
import { collect, wholeNumber } from '../../arguments.ts';
import { UsageError } from '../../usage-error.ts';
import type { LimitsOptions } from '../exceptions/limits-options.ts';
import { present, Spec } from '../namespace/spec.ts';

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

/** What the options say of the limits; undefined if it is nothing. Throws UsageError. */
export function changedLimitOverrides(options: LimitsOptions): readonly LimitOverride[] | undefined {
  const { set, limit, burst, mode } = options;
  if (set !== undefined) return set.map(parseSpec);
  const only = present({ limit, burst, mode });
  return Object.keys(only).length > 0 ? [only] : undefined;
}

/** As changedLimitOverrides, where something must be said of them. */
export function limitOverrides(options: LimitsOptions): readonly LimitOverride[] {
  const said = changedLimitOverrides(options);
  if (said !== undefined) return said;
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
