import type { Option } from '../../src/config/option.ts';
import { OPTION_GROUPS } from '../../src/config/options.ts';
import { wrapped } from './wrapped.ts';

const WIDTH = 96;

const HEAD = `# The configuration of Brume. Every line that is commented out shows an example or the default.
# All of it stands in brume.conf(5), too, and in docs/configuration.md. Try a change with: brume check-config
# What is a secret may stand in a file of its own instead, named by its setting with _FILE at the end.
`;

/** packaging/brume.conf */
export function exampleFile(): string {
  const groups = OPTION_GROUPS.map(({ title, options }) => {
    const settings = Object.entries(options).map(([variable, option]) => setting(variable, option));
    return `\n# ---- ${title} ----\n\n${settings.join('\n\n')}\n`;
  });
  return HEAD + groups.join('');
}

function setting(variable: string, { description, kind, default: fallback, example }: Option): string {
  const facts = `Allowed: ${kind.expected}. ${fallback === null ? 'Not set by default' : `Default: ${fallback}`}.`;
  const comment = wrapped(`${description} ${facts}`.split(' '), WIDTH).map((line) => `# ${line}`);
  return [...comment, `#${variable}=${example}`].join('\n');
}
