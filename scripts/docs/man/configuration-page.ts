import type { Option } from '../../../src/config/option.ts';
import { OPTION_GROUPS } from '../../../src/config/options.ts';
import { credentialName } from '../../../src/config/secrets.ts';
import { FAULTS, PURPOSE, SECRETS, SYNTAX, SYNTAX_EXAMPLE } from '../configuration-words.ts';
import { block, bold, item, manualPage, paragraph, prose, section, subsection } from './roff.ts';

/** packaging/man/brume.conf.5 */
export function configurationManual(): string {
  return manualPage({ name: 'brume.conf', section: 5, summary: 'configuration of Brume' }, [
    section(
      'Description',
      prose(PURPOSE),
      paragraph(
        prose(
          'The file is `/etc/brume/brume.conf`, if it exists, or the one that `--config` names. It is read once, at the start. The environment wins over it. `brume check-config` shows every setting and where it comes from.',
        ),
      ),
    ),
    section('Syntax', prose(SYNTAX), block(SYNTAX_EXAMPLE)),
    section(
      'Secrets',
      prose(
        'Those of the settings that may hold passwords are never shown. Besides the variable itself there are two ways to give one: a file that holds it and nothing else, named by the variable with `_FILE` at its end; or a systemd credential of the same name in small letters: a file of that name in /etc/credstore, readable by root alone, which the unit looks for, or `LoadCredential=` in `systemctl edit brume@.service`. One that is given in two ways at once is refused.',
      ),
      ...SECRETS.map((variable) =>
        item(
          bold(variable),
          `\`${variable}_FILE=/etc/brume/…\`, or \`/etc/credstore/${credentialName(variable)}\``,
        ),
      ),
    ),
    section('Faults', prose(FAULTS)),
    section(
      'Settings',
      ...OPTION_GROUPS.map(({ title, options }) =>
        subsection(title, ...Object.entries(options).map(setting)),
      ),
    ),
    section('Files', item('\\fI/etc/brume/brume.conf\\fR', 'The file that is read where none is named.')),
    section('See also', prose('`brume`(1), `brume-rules`(5)')),
  ]);
}

function setting([variable, { description, kind, default: fallback, example, isSecret }]: [
  string,
  Option,
]): string {
  const facts = [
    `Allowed: ${kind.expected}.`,
    fallback === null ? 'Not set by default.' : `Default: \`${fallback}\`.`,
    ...(example === fallback ? [] : [`Example: \`${variable}=${example}\`.`]),
    ...(isSecret ? ['A secret.'] : []),
  ];
  return item(bold(variable), description, facts.join(' '));
}
