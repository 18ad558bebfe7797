import { type Config, propertyOf } from './config.ts';
import type { ConfigFault } from './config-error.ts';
import type { Given } from './given.ts';
import { optionOf, VARIABLES, type Variable } from './options.ts';
import { checkTexts } from './schema.ts';

/** Texts into a configuration, with the default in place of each text that is at fault. */
export function convert(given: ReadonlyMap<string, Given>): { config: Config; invalid: ConfigFault[] } {
  const texts = Object.fromEntries([...given].map(([variable, { text }]) => [variable, text]));
  const checked = checkTexts(texts);
  if ('values' in checked) return { config: frozenConfig(checked.values), invalid: [] };
  const valid = new Map(
    [...given].filter(([variable]) => !checked.invalid.some((name) => name === variable)),
  );
  const invalid = checked.invalid.map((variable) => invalidValue(variable, given.get(variable)));
  return { config: convert(valid).config, invalid };
}

function frozenConfig(values: Readonly<Record<string, unknown>>): Config {
  const properties = VARIABLES.map((variable) => {
    const checked = values[variable];
    return [propertyOf(variable), checked === undefined ? null : optionOf(variable).kind.value(checked)];
  });
  return Object.freeze(Object.fromEntries(properties) as Config);
}

function invalidValue(variable: Variable, given: Given | undefined): ConfigFault {
  const { kind } = optionOf(variable);
  return {
    variable,
    where: given?.where ?? 'default',
    problem: kind.fault(given?.text ?? '') ?? 'the value is not valid',
    remedy: `Expected: ${kind.expected}${defaultHint(variable)}`,
  };
}

/** ` (default: 50)`, or nothing for a setting that has none. */
export function defaultHint(variable: string): string {
  const known = VARIABLES.find((name) => name === variable);
  const fallback = known === undefined ? null : optionOf(known).default;
  return fallback === null ? '' : ` (default: ${fallback})`;
}
