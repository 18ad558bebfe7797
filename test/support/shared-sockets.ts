import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { BRUME_COMMAND } from './brume-process.ts';
import { stopChild } from './child-process.ts';
import { freePort } from './free-port.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { waitFor } from './wait-for.ts';

/**
 * Opens sockets as systemd does and keeps them, for one process after another: DIRECTORY DATA_PORT MANAGEMENT_PORT
 * COMMAND… Each line `NAME KEY=VALUE …` starts one, whose output goes to DIRECTORY/NAME.log; it says `NAME pid PID`
 * and, when that has ended, `NAME ended STATUS`.
 */
const AS_SYSTEMD = `
  use strict; use warnings; use Socket; use POSIX ':sys_wait_h';
  $| = 1; $^F = 9; # these stay open across exec
  my ($directory, $data, $management) = splice @ARGV, 0, 3;
  sub handed { my ($family, $address) = @_;
    socket(my $socket, $family, SOCK_STREAM, 0) or die "socket: $!";
    bind($socket, $address) or die "bind: $!";
    listen($socket, 4096) or die "listen: $!";
    return $socket; }
  my @kept = (
    handed(PF_UNIX, pack_sockaddr_un("$directory/admin.sock")),
    handed(PF_INET, pack_sockaddr_in($data, INADDR_LOOPBACK)),
    handed(PF_UNIX, pack_sockaddr_un("$directory/brume.sock")),
    handed(PF_INET, pack_sockaddr_in($management, INADDR_LOOPBACK)));
  my (%names, $text);
  $text = '';
  while (1) {
    my $read = ''; vec($read, 0, 1) = 1;
    if (select($read, undef, undef, 0.01) > 0) { sysread(STDIN, $text, 65536, length $text) or last; }
    while ($text =~ s/^(\\S+) ?(.*)\\n//) {
      my ($name, $settings) = ($1, $2);
      my $pid = fork() // die "fork: $!";
      if ($pid == 0) {
        open(STDIN, '<', '/dev/null'); open(STDOUT, '>>', "$directory/$name.log"); open(STDERR, '>&', \\*STDOUT);
        @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 4, 'admin:data:data:management');
        for (split / /, $settings) { my ($key, $value) = split /=/, $_, 2; $ENV{$key} = $value; }
        exec @ARGV or die "exec: $!";
      }
      $names{$pid} = $name; print "$name pid $pid\\n";
    }
    while ((my $pid = waitpid(-1, WNOHANG)) > 0) { print "$names{$pid} ended ", $? & 127 ? -($? & 127) : $? >> 8, "\\n"; }
  }
  kill 'KILL', keys %names;
`;

/** A process on the shared sockets. */
export interface OnSharedSockets {
  readonly pid: number;
  log(): string;
  /** Rejects if it ends before. */
  untilLogged(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; the negative number of a signal. */
  readonly ended: Promise<number>;
}

/** What several processes of Brume share, one after the other: sockets that stay open, and a state directory. */
export class SharedSockets {
  readonly directory: string;
  readonly stateDir: string;
  readonly url: string;
  readonly managementUrl: string;
  readonly adminPath: string;
  readonly dataPath: string;
  readonly #holder: ChildProcess;
  readonly #pids = new Map<string, PromiseWithResolvers<number>>();
  readonly #ends = new Map<string, PromiseWithResolvers<number>>();
  #count = 0;

  private constructor(holder: ChildProcess, directory: string, ports: { data: number; management: number }) {
    this.#holder = holder;
    this.directory = directory;
    this.stateDir = join(directory, 'state');
    this.url = `http://127.0.0.1:${ports.data}`;
    this.managementUrl = `http://127.0.0.1:${ports.management}`;
    this.adminPath = join(directory, 'admin.sock');
    this.dataPath = join(directory, 'brume.sock');
    if (holder.stdout === null) throw new TypeError('it has no output');
    createInterface(holder.stdout).on('line', (line) => this.#hear(line));
  }

  static async open(
    t: Pick<TestContext, 'after'>,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<SharedSockets> {
    const directory = temporaryDirectory(t);
    const ports = { data: await freePort(), management: await freePort() };
    const command = [...BRUME_COMMAND, 'serve', '--systemd'];
    const holder = spawn(
      'perl',
      ['-e', AS_SYSTEMD, directory, String(ports.data), String(ports.management), ...command],
      {
        env: {
          PATH: '/usr/bin:/bin',
          BRUME_LISTEN: `127.0.0.1:${ports.data}`,
          BRUME_MANAGEMENT_LISTEN: `127.0.0.1:${ports.management}`,
          BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
          BRUME_STATE_DIR: join(directory, 'state'),
          ...settings,
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    const shared = new SharedSockets(holder, directory, ports);
    t.after(async () => {
      // It kills what it has started.
      holder.stdin?.end();
      await stopChild(holder, 'SIGCONT');
    });
    return shared;
  }

  /** Starts the next process; resolves when it runs. */
  async launch(settings: Readonly<Record<string, string>> = {}): Promise<OnSharedSockets> {
    const name = `brume-${++this.#count}`;
    const [pids, ends] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
    this.#pids.set(name, pids);
    this.#ends.set(name, ends);
    const pairs = Object.entries(settings).map(([key, value]) => ` ${key}=${value}`);
    this.#holder.stdin?.write(`${name}${pairs.join('')}\n`);
    const pid = await pids.promise;
    let isEnded = false;
    void ends.promise.then(() => {
      isEnded = true;
    });
    const path = join(this.directory, `${name}.log`);
    const log = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    return {
      pid,
      log,
      ended: ends.promise,
      kill: (signal) => process.kill(pid, signal),
      untilLogged: async (text) => {
        await waitFor(`${text} of process ${pid}`, () => {
          if (log().includes(text)) return true;
          if (isEnded) throw new Error(`it ended before "${text}":\n${log()}`);
          return false;
        });
      },
    };
  }

  /** Starts the next process; resolves when it serves. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<OnSharedSockets> {
    const launched = await this.launch(settings);
    await launched.untilLogged('"msg":"ready"');
    return launched;
  }

  #hear(line: string): void {
    const [name = '', what, number] = line.split(' ');
    (what === 'pid' ? this.#pids : this.#ends).get(name)?.resolve(Number(number));
  }
}
