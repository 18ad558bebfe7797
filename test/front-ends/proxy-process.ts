import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectOutput, stopChild, waitUntil } from '../support/child-process.ts';
import { isListening } from '../support/is-listening.ts';

export interface ProxyProcess {
  readonly url: string;
  readonly port: number;
  /** What it has printed so far. */
  log(): string;
  stop(): Promise<void>;
}

export interface ProxyCommand {
  readonly program: string;
  /** Given the directory in which the files lie. */
  readonly args: (directory: string) => readonly string[];
  /** Name to text, given the directory. */
  readonly files: (directory: string) => Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where it listens on 127.0.0.1. */
  readonly port: number;
}

/** Starts a throw-away proxy in a directory of its own, and resolves when it listens. */
export async function startProxy(command: ProxyCommand): Promise<ProxyProcess> {
  const { program, args, files, environment = {}, port } = command;
  const directory = await mkdtemp(join(tmpdir(), 'brume-front-'));
  for (const [name, text] of Object.entries(files(directory))) await writeFile(join(directory, name), text);
  const child = spawn(program, args(directory), {
    env: { ...process.env, HOME: directory, XDG_CONFIG_HOME: directory, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = collectOutput(child);
  // One that is not installed is told by waitUntil. Without a listener Node.js would abort the file.
  child.on('error', () => undefined);
  await waitUntil(child, log, () => isListening(port));
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    log,
    stop: async () => {
      await stopChild(child, 'SIGTERM');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
