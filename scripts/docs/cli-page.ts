import type { Command } from 'commander';
import { examplesOf } from '../../src/cli/define-command.ts';
import { commandTree, EXIT_CODES, isForRunningBrume, leavesOf } from './command-tree.ts';

const introduction = (offline: string) => `<!-- Made by npm run docs out of src/cli/: change it there. -->

# The command line

\`brume help\` and \`brume COMMAND --help\` show what stands here.

All commands but ${offline} talk to a running Brume over its admin socket: \`--socket PATH\`, else \`BRUME_ADMIN_SOCKET\` from the environment or from \`/etc/brume/brume.conf\`, else
\`/run/brume/admin.sock\`. Whoever may open that socket (root, and members of the group \`brume-admin\`)
may manage this Brume. With \`--url https://…\` they ask the management plane of a Brume on another machine,
with the token in the file that \`--token-file\` names, or in \`BRUME_TOKEN\` ([sign-in.md](sign-in.md)).

With \`--json\` the result is JSON on standard output, and a fault is JSON on standard error. Lists are
\`{"items": […]}\`. Durations are written \`500ms\`, \`60s\`, \`5m\`, \`1h\` or \`1d\`.

| Exit code | Meaning |
|---|---|
${EXIT_CODES.map(([code, meaning]) => `| ${code} | ${meaning} |`).join('\n')}
`;

/** docs/cli.md */
export function cliPage(): string {
  const commands = leavesOf(commandTree());
  const offline = listed(commands.filter((command) => !isForRunningBrume(command)).map(calledBy));
  return [introduction(offline), ...commands.map(commandSection)].join('\n');
}

/** As it is typed behind `brume`. */
function calledBy(command: Command): string {
  const usage = command.createHelp().commandUsage(command);
  return `\`${usage.replace(/^brume | [[<].*$/g, '')}\``;
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function commandSection(command: Command): string {
  const help = command.createHelp();
  const items = [
    ...help
      .visibleArguments(command)
      .map((item) => [help.argumentTerm(item), help.argumentDescription(item)]),
    ...command.options.map((option) => [help.optionTerm(option), help.optionDescription(option)]),
  ];
  const rows = items.map(([term, description]) => `| \`${term}\` | ${escapeCell(description ?? '')} |`);
  return [
    `## ${help.commandUsage(command).replace(/ \[options\].*$/, '')}`,
    '',
    command.description(),
    '',
    '```sh',
    help.commandUsage(command),
    '```',
    '',
    ...(rows.length === 0 ? [] : ['| | |', '|---|---|', ...rows, '']),
    'Examples:',
    '',
    '```sh',
    ...examplesOf(command),
    '```',
    '',
  ].join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
