import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const running = new Set<ChildProcess>();

export interface ToolOptions {
  /** Files are named below it, so that no tool has to do with the characters of a path. */
  readonly cwd?: string;
  /** It may ask for a passphrase on the terminal. */
  readonly asks?: boolean;
  /** What it prints, which may be much, goes nowhere. */
  readonly isMute?: boolean;
}

/**
 * Runs another program to its end; resolves with what it printed. Throws an Error with one line, of what
 * the program said about its failure. What it says otherwise goes nowhere.
 */
export async function runTool(
  program: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<string> {
  const child = spawn(program, args, {
    cwd: options.cwd,
    // Messages that are read here are to be in English.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    stdio: [options.asks ? 'inherit' : 'ignore', options.isMute ? 'ignore' : 'pipe', 'pipe'],
  });
  running.add(child);
  try {
    const [[code, signal], printed, said] = await Promise.all([
      once(child, 'close'),
      text(child.stdout ?? Readable.from([])),
      text(child.stderr ?? Readable.from([])),
    ]);
    if (code !== 0) throw new Error(`${program}: ${oneLine(said) || `ended by ${signal ?? code}`}`);
    return printed;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Error(`${program} is not installed`);
    throw error;
  } finally {
    running.delete(child);
  }
}

/** Ends what runs, for a process that is about to end itself. */
export function stopTools(): void {
  for (const child of running) child.kill();
}

/** The whole of it, since the line that says why may be any. */
function oneLine(said: string): string {
  return said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ');
}
