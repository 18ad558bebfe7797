import type { Command, Option } from 'commander';
import { examplesOf } from '../../../src/cli/define-command.ts';
import { HELP_TOPICS } from '../../../src/cli/help-topics.ts';
import { adminOptions, commandTree, EXIT_CODES, leavesOf, wordsOf } from '../command-tree.ts';
import { block, bold, item, manualPage, paragraph, prose, section, subsection } from './roff.ts';

/** packaging/man/brume.1 */
export function commandManual(): string {
  const program = commandTree();
  const common = adminOptions();
  return manualPage(
    { name: 'brume', section: 1, summary: 'rate limits and quotas for proxies and programs' },
    [
      section('Synopsis', `${bold('brume')} \\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]`),
      section(
        'Description',
        prose(program.description()),
        paragraph(
          prose(
            '`brume serve` is the service; the other commands look after it. Those with `--socket` talk to a running Brume over its admin socket, which root and members of the group `brume-admin` may open, or with `--url` over the network.',
          ),
        ),
        paragraph(
          prose(
            '`brume help COMMAND` shows the help of one command, and `brume help TOPIC` a page of the documentation, which is inside the executable.',
          ),
        ),
      ),
      section(
        'Common options',
        paragraph(prose('Commands that list them below take these.')),
        ...common.map(({ flags, description }) => item(bold(flags), description)),
      ),
      section('Commands', ...leavesOf(program).map((command) => commandPart(command, common))),
      section(
        'Topics',
        paragraph(prose('Of `brume help`:')),
        ...HELP_TOPICS.map(({ name, summary }) => item(bold(name), `${summary}.`)),
      ),
      section('Exit status', ...EXIT_CODES.map(([code, meaning]) => item(bold(String(code)), `${meaning}.`))),
      section(
        'Environment',
        paragraph(
          prose(
            'Every setting of `brume.conf`(5) is a variable, too, and wins over the file. Of the command line alone:',
          ),
        ),
        item(bold('BRUME_TOKEN'), 'The token for `--url`, where no `--token-file` names one.'),
      ),
      section(
        'Files',
        item('\\fI/etc/brume/brume.conf\\fR', 'The configuration, see `brume.conf`(5).'),
        item(
          '\\fI/run/brume/admin.sock\\fR',
          'The admin socket, unless `BRUME_ADMIN_SOCKET` says otherwise.',
        ),
        item('\\fI/var/lib/brume\\fR', 'The embedded stores, unless `BRUME_STATE_DIR` says otherwise.'),
      ),
      section('See also', prose('`brume.conf`(5), `brume-rules`(5)')),
    ],
  );
}

function commandPart(command: Command, common: readonly Option[]): string {
  const help = command.createHelp();
  const own = command.options.filter((option) => !isAmong(common, option));
  const shared = command.options.filter((option) => isAmong(common, option)).map(({ long }) => `\`${long}\``);
  const terms = [
    ...help
      .visibleArguments(command)
      .map((argument) => item(bold(help.argumentTerm(argument)), help.argumentDescription(argument))),
    ...own.map((option) => item(bold(option.flags), help.optionDescription(option))),
  ];
  const also = shared.length === 0 ? [] : [paragraph(prose(`Common options: ${shared.join(', ')}.`))];
  return subsection(
    usageOf(command),
    prose(command.description()),
    ...terms,
    ...also,
    block(examplesOf(command)),
  );
}

/** `brume key create <project> <name>`: that there are options goes without saying. */
function usageOf(command: Command): string {
  const help = command.createHelp();
  const words = command.registeredArguments.map((argument) => {
    const name = `${help.argumentTerm(argument)}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...wordsOf(command), ...words].join(' ');
}

function isAmong(options: readonly Option[], { flags, description }: Option): boolean {
  return options.some((option) => option.flags === flags && option.description === description);
}
