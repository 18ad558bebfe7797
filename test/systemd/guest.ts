import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { waitFor } from '../support/wait-for.ts';
import type { Outcomes } from './caller.ts';
import { layOut } from './installed-tree.ts';
import type { StoreUrls } from './stores.ts';

const root = join(import.meta.dirname, '../..');

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const BOOT_TIMEOUT_MS = 120_000;
const COMMAND_TIMEOUT_MS = 120_000;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** A program on the guest's network, outside the guest. */
export type Beside = ChildProcessByStdio<Writable, Readable, null>;

/** A Debian that is booted by systemd, with Brume's files in it. */
export class Guest {
  readonly #container: ChildProcess;
  readonly #directory: string;
  readonly #beside: Beside[] = [];

  private constructor(container: ChildProcess, directory: string) {
    this.#container = container;
    this.#directory = directory;
  }

  /**
   * Boots one, in which Brume is installed and enabled, or what else `lay` puts into its tree. `packages`, with
   * commas: of Debian, beside those that it has anyhow.
   */
  static async boot(lay: (tree: string) => void = layOut, packages?: string): Promise<Guest> {
    const directory = mkdtempSync(join(tmpdir(), 'brume-guest-'));
    const tree = join(directory, 'tree');
    lay(tree);
    // It ends when its standard input does: also with this process, however that ends.
    const container = spawn(join(root, 'scripts/guest'), ['boot', directory, tree], {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: packages === undefined ? process.env : { ...process.env, TEST_GUEST_PACKAGES: packages },
    });
    const guest = new Guest(container, directory);
    try {
      await guest.#isUp();
    } catch (error) {
      await guest.end();
      throw error;
    }
    return guest;
  }

  /** Ends it at once; nothing of it is left. */
  async end(): Promise<void> {
    for (const child of this.#beside) {
      child.stdin.end();
      await waitFor('what runs beside it to end', () => child.exitCode !== null || child.signalCode !== null);
    }
    this.#container.stdin?.end();
    await this.hasEnded();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Resolves when it has ended, by itself or not. */
  async hasEnded(timeoutMs = 30_000): Promise<void> {
    await waitFor('the guest to end', () => this.#hasEnded(), { timeoutMs });
  }

  #hasEnded(): boolean {
    return this.#container.exitCode !== null || this.#container.signalCode !== null;
  }

  /** Boots it again; what it has written is still there. */
  async reboot(): Promise<void> {
    const before = this.#leader;
    await this.run('systemctl', 'reboot', '--no-block');
    const options = { timeoutMs: BOOT_TIMEOUT_MS, everyMs: 100 };
    await waitFor('the reboot', () => this.#leader !== before, options);
    await this.#isUp();
  }

  async #isUp(): Promise<void> {
    const options = { timeoutMs: BOOT_TIMEOUT_MS, everyMs: 100 };
    const hasSystemd = async (): Promise<boolean> => {
      if (this.#hasEnded()) throw new Error('the guest ended while it booted');
      return (
        this.#leader !== undefined && (await this.run('test', '-S', '/run/systemd/private')).exitCode === 0
      );
    };
    await waitFor('systemd in the guest', hasSystemd, options);
    const { stdout } = await this.run('systemctl', 'is-system-running', '--wait');
    if (stdout.trim() !== 'running') throw new Error(`the guest is ${stdout}`);
  }

  /** Its first process, by the number that it has here. */
  get #leader(): string | undefined {
    const path = join(this.#directory, 'leader');
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
  }

  /** The same for who enters its namespaces; '' before it is there. */
  get leader(): string {
    return this.#leader ?? '';
  }

  /** Runs a command in the guest. */
  run(...command: string[]): Promise<Outcome> {
    return this.#enter(['-m', '-u', '-i', '-n', '-p', '-C'], command);
  }

  /** Runs a command that must succeed; gives what it printed. */
  async must(...command: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(...command);
    if (exitCode !== 0) {
      throw new Error(`${command.join(' ')}: exit ${exitCode}\n${stdout}${stderr}\n${await this.journal()}`);
    }
    return stdout.trim();
  }

  /** What callers on the guest's network meet, at a steady rate: see caller.ts. */
  async callers(perSecond: number, seconds: number): Promise<Outcomes> {
    const program = join(import.meta.dirname, 'caller.ts');
    const args = [program, '8600', String(perSecond), String(seconds)];
    const { stdout, stderr } = await this.#enter(['-n'], [process.execPath, ...args]);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** Stores of this machine on the guest's network; they go with it. */
  async startStores(): Promise<StoreUrls> {
    const stores = this.startBeside(join(import.meta.dirname, 'stores.ts'));
    const [line] = await once(stores.stdout, 'data');
    return JSON.parse(String(line));
  }

  /**
   * Starts a program of this repository on the guest's network. It ends by itself, or when its standard input
   * does: at the guest's end at the latest.
   */
  startBeside(program: string, ...args: string[]): Beside {
    const command = [process.execPath, program, ...args];
    const child = spawn('nsenter', ['-t', this.leader, '-n', ...command], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#beside.push(child);
    return child;
  }

  /** Asks once, on the guest's network; the status is 0 if nobody answers. */
  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.#ask(url, { headers });
  }

  /** Likewise, with a body as JSON. */
  post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    const isJson = { 'content-type': 'application/json' };
    return this.#ask(url, { method: 'POST', headers: { ...headers, ...isJson }, body: JSON.stringify(body) });
  }

  async #ask(url: string, init: RequestInit): Promise<HttpAnswer> {
    const program = `
      const [url, init] = JSON.parse(process.argv[1]);
      init.headers.connection = 'close';
      const answer = await fetch(url, init).catch(() => undefined);
      console.log(JSON.stringify({ status: answer?.status ?? 0, body: (await answer?.text()) ?? '' }));`;
    const args = ['--input-type=module', '-e', program, JSON.stringify([url, init])];
    const { stdout, stderr } = await this.#enter(['-n'], [process.execPath, ...args]);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** Runs a statement in a database on the guest's network. */
  async query(databaseUrl: string, statement: string): Promise<void> {
    const program = `
      import pg from 'pg';
      const [connectionString, statement] = JSON.parse(process.argv[1]);
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(statement);
      await client.end();`;
    const args = ['--input-type=module', '-e', program, JSON.stringify([databaseUrl, statement])];
    const { exitCode, stderr } = await this.#enter(['-n'], [process.execPath, ...args]);
    if (exitCode !== 0) throw new Error(stderr);
  }

  /** A property of a unit, as systemctl shows it. */
  async property(unit: string, name: string): Promise<string> {
    return this.must('systemctl', 'show', '--property', name, '--value', unit);
  }

  /** What Brume's units have logged, or the units given. */
  async journal(...units: string[]): Promise<string> {
    const named = units.length > 0 ? units : ['brume*'];
    // What was written by now may still wait to be read from its socket.
    await this.run('journalctl', '--sync');
    const { stdout } = await this.run(
      'journalctl',
      '--no-pager',
      '-o',
      'cat',
      ...named.flatMap((unit) => ['-u', unit]),
    );
    return stdout;
  }

  /** Writes a file; the text is all of it. */
  async write(path: string, text: string, mode = '0644'): Promise<void> {
    await this.must(
      'sh',
      '-c',
      'umask 077; mkdir -p "$(dirname "$1")"; printf %s "$2" >"$1"; chmod "$3" "$1"',
      'sh',
      path,
      text,
      mode,
    );
  }

  #enter(namespaces: readonly string[], command: readonly string[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      execFile(
        'nsenter',
        ['-t', this.#leader ?? '', ...namespaces, '--', ...command],
        {
          timeout: COMMAND_TIMEOUT_MS,
          maxBuffer: 64 * 1024 * 1024,
          env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
        },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : error.code;
          if (typeof code === 'number') resolve({ exitCode: code, stdout, stderr });
          else
            reject(
              new Error(
                `${command.join(' ')}: ${error?.message} (${this.#container.pid}, ${this.#directory})`,
              ),
            );
        },
      ).stdin?.end();
    });
  }
}
