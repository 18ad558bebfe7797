import { type Command, Option } from 'commander';
import { managementUrl, name } from './arguments.ts';

/** What every command says about itself, in its help and in docs/cli.md. */
export interface Words {
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** Whole sentences, where the summary is not enough. */
  readonly description?: string;
  readonly examples: readonly string[];
}

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Adds a command: `defineCommand(group, 'create <name>', …)`. */
export function defineCommand(parent: Command, usage: string, words: Words): Command {
  const { summary, description = sentence(summary), examples } = words;
  const command = parent.command(usage).summary(summary).description(description);
  EXAMPLES.set(command, examples);
  const lines = ['', 'Examples:', ...examples.map((example) => `  ${example}`)];
  return command.addHelpText('after', lines.join('\n'));
}

/** Adds a group of commands: `brume project …`. */
export function defineGroup(parent: Command, name: string, summary: string): Command {
  return parent.command(name).summary(summary).description(sentence(summary)).helpCommand(false);
}

/** The examples of a command's help; none for a group of commands. */
export function examplesOf(command: Command): readonly string[] {
  return EXAMPLES.get(command) ?? [];
}

/** Adds --json. */
export function withOutputOptions(command: Command): Command {
  return command.option('--json', 'write JSON to standard output, and nothing else there');
}

/** Adds --json, --socket, --url and --token-file, for a command that talks to a running Brume. */
export function withAdminOptions(command: Command): Command {
  return withOutputOptions(command)
    .option(
      '--socket <path>',
      'admin socket of the Brume to talk to (default: BRUME_ADMIN_SOCKET, or /run/brume/admin.sock)',
      name,
    )
    .addOption(
      new Option('--url <url>', 'management plane of a Brume on another machine, by https')
        .argParser(managementUrl)
        .conflicts('socket'),
    )
    .option('--token-file <path>', 'for --url: file with a management token (default: BRUME_TOKEN)', name);
}

function sentence(summary: string): string {
  return `${summary[0]?.toUpperCase()}${summary.slice(1)}.`;
}
