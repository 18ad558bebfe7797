import { SECRET_FILE_VARIABLES } from '../../src/config/given-settings.ts';
import type { Option } from '../../src/config/option.ts';
import { OPTION_GROUPS } from '../../src/config/options.ts';
import { credentialName } from '../../src/config/secrets.ts';
import { FAULTS, PURPOSE, SECRETS, SYNTAX, SYNTAX_EXAMPLE } from './configuration-words.ts';

const INTRODUCTION = `<!-- Made by npm run docs out of src/config/: change it there. -->

# Configuration

${PURPOSE}

- **The file** is \`/etc/brume/brume.conf\`, if it exists, or the one that \`--config FILE\` names, which
  must exist. It is read by the executable itself, once, at the start.
- **The environment wins** over the file.
- \`brume check-config\` shows every setting and where it comes from.

## The file

${SYNTAX}

\`\`\`sh
${SYNTAX_EXAMPLE.join('\n')}
\`\`\`

## Secrets

${SECRETS.map((variable) => `\`${variable}\``).join(' and ')} may hold passwords. They are never shown: not in
logs, errors or \`check-config\`. Besides the variable there are two ways to give one:

- a file that holds it and nothing else, named by the variable with \`_FILE\` at its end:
  ${SECRET_FILE_VARIABLES.map((variable) => `\`${variable}=/etc/brume/…\``).join(', ')};
- a systemd credential with the variable's name in small letters: a file of that name in \`/etc/credstore\`,
  readable by root alone, which the unit of the packages looks for, or \`LoadCredential=\` in
  \`systemctl edit brume@.service\`: ${SECRETS.map((variable) => `\`${credentialName(variable)}\``).join(', ')}.

A secret that is given in two ways at once is refused.

## Faults

${FAULTS}
`;

/** docs/configuration.md */
export function configurationPage(): string {
  const groups = OPTION_GROUPS.map(
    ({ title, options }) => `## ${title}\n\n${Object.entries(options).map(setting).join('\n\n')}\n`,
  );
  return [INTRODUCTION, ...groups].join('\n');
}

function setting([variable, option]: [string, Option]): string {
  const fallback = option.default === null ? 'not set' : `\`${option.default}\``;
  const lines = [`### ${variable}`, '', option.description, ''];
  lines.push(`- Default: ${fallback}`, `- Allowed: ${option.kind.expected}`);
  if (option.example !== option.default) lines.push(`- Example: \`${variable}=${option.example}\``);
  if (option.isSecret) lines.push(`- Secret; also by \`${variable}_FILE\` or a systemd credential`);
  return lines.join('\n');
}
