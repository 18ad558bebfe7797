import { type Argument, Command } from 'commander';
import { version } from '../version.ts';
import { auditCommand } from './commands/audit/audit.ts';
import { backup } from './commands/backup.ts';
import { blockCommands } from './commands/block/block-commands.ts';
import { checkConfig } from './commands/check-config.ts';
import { doctor } from './commands/doctor/doctor.ts';
import { drillCommands } from './commands/drill/drill-commands.ts';
import { exemptCommands } from './commands/exempt/exempt-commands.ts';
import { help } from './commands/help.ts';
import { keyCommands } from './commands/key/key-commands.ts';
import { leaseCommands } from './commands/lease/lease-commands.ts';
import { limitCommand } from './commands/limit.ts';
import { migrate } from './commands/migrate.ts';
import { move } from './commands/move.ts';
import { namespaceCommands } from './commands/namespace/namespace-commands.ts';
import { orgCommands } from './commands/org/org-commands.ts';
import { overrideCommands } from './commands/override/override-commands.ts';
import { peekCommand } from './commands/peek.ts';
import { projectCommands } from './commands/project/project-commands.ts';
import { resetCommand } from './commands/reset.ts';
import { restore } from './commands/restore.ts';
import { rulesCommands } from './commands/rules/rules-commands.ts';
import { runbookCommands } from './commands/runbook.ts';
import { serve } from './commands/serve.ts';
import { snippetCommand } from './commands/snippet.ts';
import { statusCommand } from './commands/status.ts';
import { tierCommands } from './commands/tier/tier-commands.ts';
import { tokenCommands } from './commands/token/token-commands.ts';
import { topCommand } from './commands/top.ts';
import { usageCommand } from './commands/usage.ts';
import { userCommands } from './commands/user/user-commands.ts';
import { versionCommand } from './commands/version.ts';
import { whoAmI } from './commands/who-am-i.ts';
import type { Session } from './session.ts';

const EXIT_CODES = `
Documentation: brume help topics
Exit codes: 0 done, 1 refused or denied, 2 usage, 78 configuration.`;

/** The whole command line. docs/cli.md is made from it as well. */
export function buildProgram(session: Session): Command {
  const { terminal } = session;
  const program = new Command('brume')
    .description(
      'Brume decides, for every request that a proxy or a program asks about, whether it may pass.',
    )
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('Run the command with --help for its usage and examples.')
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'brume: ')),
    })
    .configureHelp({ subcommandTerm })
    .exitOverride();

  serve(program, session);
  checkConfig(program, session);
  doctor(program, session);
  migrate(program, session);
  backup(program, session);
  restore(program, session);
  move(program, session);
  orgCommands(program, session);
  userCommands(program, session);
  tokenCommands(program, session);
  whoAmI(program, session);
  auditCommand(program, session);
  tierCommands(program, session);
  projectCommands(program, session);
  keyCommands(program, session);
  namespaceCommands(program, session);
  blockCommands(program, session);
  exemptCommands(program, session);
  overrideCommands(program, session);
  rulesCommands(program, session);
  limitCommand(program, session);
  peekCommand(program, session);
  resetCommand(program, session);
  statusCommand(program, session);
  topCommand(program, session);
  usageCommand(program, session);
  leaseCommands(program, session);
  runbookCommands(program, session);
  drillCommands(program, session);
  snippetCommand(program, session);
  versionCommand(program, session);
  help(program, session);
  return program;
}

/** A command with its arguments; that it has options goes without saying. */
function subcommandTerm(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ');
}

function argumentTerm(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${word}>` : `[${word}]`;
}
