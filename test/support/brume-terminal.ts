import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { BRUME_COMMAND, childEnvironment, type Settings } from './brume-process.ts';
import { collectOutput } from './child-process.ts';
import { waitFor } from './wait-for.ts';

/** A command at a terminal of its own. */
export interface BrumeTerminal {
  /** What stands there so far, of both streams. */
  shown(): string;
  /** Resolves when a text stands there, after those that were waited for earlier; rejects if the command ends before. */
  shows(text: string): Promise<void>;
  /** `\u0003` is Ctrl-C, `\r` is Enter. */
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
  /** The terminal is closed while the command runs: the kernel tells it so. */
  hangUp(): void;
  /** Resolves when the command is gone; with its exit code, and null after `hangUp`. */
  ended(): Promise<number | null>;
}

/** Runs a command of Brume where somebody seems to sit who can answer. */
export async function startBrumeTerminal(settings: Settings, ...command: string[]): Promise<BrumeTerminal> {
  const quoted = [...BRUME_COMMAND, ...command].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  // script(1) gives the command a pseudo-terminal; what it is typed comes from the pipe.
  const child = spawn('script', ['-qefc', `echo "pid $$"; exec ${quoted}`, '/dev/null'], {
    env: { ...childEnvironment(settings), SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const shown = collectOutput(child);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const pid = await waitFor('the command to start', () => {
    if (hasEnded()) throw new Error(shown());
    return Number(/^pid (\d+)/.exec(shown())?.[1] ?? 0) || undefined;
  });
  let from = 0;
  return {
    shown,
    async shows(text) {
      from = await waitFor(text, () => {
        const at = shown().indexOf(text, from);
        if (at >= 0) return at + text.length;
        if (hasEnded()) throw new Error(`It ended before "${text}":\n${shown()}`);
        return undefined;
      });
    },
    type: (text) => void child.stdin.write(text),
    kill: (signal) => void process.kill(pid, signal),
    hangUp: () => void child.kill('SIGKILL'),
    async ended() {
      await waitFor('the command to end', () => hasEnded() && !existsSync(`/proc/${pid}`));
      return child.exitCode;
    },
  };
}
