import { CommanderError } from 'commander';
import { exitCodeOf, failureOf } from './failure.ts';
import { printableJson } from './printable.ts';
import { buildProgram } from './program.ts';
import { Session } from './session.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Runs one command line, without the program's name, and resolves with the exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const session = new Session(terminal);
  try {
    refuseUnreadable(args);
    await buildProgram(session).parseAsync(args, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeOf(error);
    const { exitCode, text, json } = failureOf(error);
    terminal.err(session.isJson ? printableJson(json) : `brume: ${text}`);
    return session.faultExitCode ?? exitCode;
  }
}

/** Node reads what is no UTF-8 as U+FFFD, and would make one identifier of many. */
function refuseUnreadable(args: readonly string[]): void {
  const at = args.findIndex((arg) => arg.includes('\ufffd'));
  if (at >= 0)
    throw new UsageError(`Argument ${at + 1} is not UTF-8, or holds U+FFFD, which stands for that.`);
}
