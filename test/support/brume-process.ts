import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectOutput, stopChild, waitUntil } from './child-process.ts';
import { freePort } from './free-port.ts';
import { call } from './http-call.ts';

/** Settings by their variables' names: `{ BRUME_REDIS_URL: … }`. */
export type Settings = Readonly<Record<string, string>>;

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface BrumeProcess {
  /** The data plane. */
  readonly url: string;
  readonly pid: number;
  readonly settings: Settings;
  /** The log so far. */
  log(): string;
  /** Runs a command against this process's admin socket. */
  run(...command: string[]): Promise<CommandResult>;
  /** Runs a command with --json; fails if its exit code isn't 0, else gives what it printed. */
  json(...command: string[]): Promise<unknown>;
  /** Resolves with the exit code; null if it had to be killed. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The built executable if scripts/test names one, else the source. */
const [executable, firstArguments] =
  process.env.TEST_BRUME_EXECUTABLE === undefined
    ? [process.execPath, [join(import.meta.dirname, '../../src/main.ts')]]
    : [process.env.TEST_BRUME_EXECUTABLE, []];

/** How the executable is called, for those who call it by way of another program. */
export const BRUME_COMMAND: readonly string[] = [executable, ...firstArguments];

/** A process that may not be ready yet, or never. */
export interface LaunchedBrume {
  readonly pid: number;
  /** The log so far. */
  log(): string;
  /** Resolves when it is ready; rejects if it ends before, or is not ready in time (30 s). */
  ready(timeoutMs?: number): Promise<BrumeProcess>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts `brume serve` in a directory of its own, which goes when it is stopped; or, to come back
 * to the same state after a stop, in the directory that is given. Resolves when it is ready.
 */
export async function startBrume(settings: Settings = {}, directory?: string): Promise<BrumeProcess> {
  const launched = await launchBrume(settings, directory);
  try {
    return await launched.ready();
  } catch (error) {
    await launched.stop();
    throw error;
  }
}

/** As `startBrume`, and does not wait until it is ready. */
export async function launchBrume(settings: Settings = {}, directory?: string): Promise<LaunchedBrume> {
  const home = directory ?? (await mkdtemp(join(tmpdir(), 'brume-')));
  const port = await freePort();
  const all: Settings = {
    BRUME_LISTEN: `127.0.0.1:${port}`,
    BRUME_MANAGEMENT_LISTEN: 'off',
    BRUME_ADMIN_SOCKET: join(home, 'admin.sock'),
    BRUME_STATE_DIR: home,
    ...settings,
  };
  const url = `http://${all.BRUME_LISTEN}`;
  const child = spawn(executable, [...firstArguments, 'serve'], {
    env: childEnvironment(all),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = collectOutput(child);
  const pid = child.pid ?? 0;

  async function stop(signal?: NodeJS.Signals): Promise<number | null> {
    const exitCode = await stopChild(child, signal);
    if (directory === undefined) await rm(home, { recursive: true, force: true });
    return exitCode;
  }

  async function ready(timeoutMs?: number): Promise<BrumeProcess> {
    await waitUntil(child, log, () => isReady(url), timeoutMs);
    return {
      url,
      pid,
      settings: all,
      log,
      run: (...command) => runBrume(all, ...command),
      json: async (...command) => {
        const { exitCode, stdout, stderr } = await runBrume(all, ...command, '--json');
        if (exitCode !== 0) throw new Error(`brume ${command.join(' ')}: exit ${exitCode}\n${stderr}`);
        return JSON.parse(stdout);
      },
      stop,
    };
  }

  return { pid, log, ready, stop };
}

/** Runs one command of the executable to its end. */
export function runBrume(settings: Settings, ...command: string[]): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    execFile(
      executable,
      [...firstArguments, ...command],
      { env: childEnvironment(settings), timeout: 120_000 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ exitCode: code, stdout, stderr });
        else reject(error);
      },
    ).stdin?.end();
  });
}

/** One command of the executable that is not waited for, so that it can be ended at any moment. */
export function spawnBrume(settings: Settings, ...command: string[]): ChildProcess {
  return spawn(executable, [...firstArguments, ...command], {
    env: childEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The tests' own environment without any setting of Brume, so that only the given ones count. */
export function childEnvironment(settings: Settings): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BRUME_'));
  return { ...Object.fromEntries(inherited), ...settings };
}

async function isReady(url: string): Promise<boolean> {
  try {
    // On a connection of its own: one that is kept would hold up a stop that follows soon.
    return (await call(`${url}/ready`)).status === 200;
  } catch {
    return false;
  }
}
