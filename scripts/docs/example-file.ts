import type { Option } from '../../src/config/option.ts';
import { OPTION_GROUPS } from '../../src/config/options.ts';

const WIDTH = 96;

const HEAD = `# The configuration of Brume. Every line that is commented out shows an example or the default.
# What can be set is described in docs/configuration.md; try a change with: brume check-config
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
  const comment = wrap(`${description} ${facts}`).map((line) => `# ${line}`);
  return [...comment, `#${variable}=${example}`].join('\n');
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
