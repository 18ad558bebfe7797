import { type ChildProcess, spawn } from 'node:child_process';
import type { ServiceManager } from '../../config/service-manager.ts';
import type { Logger } from '../../telemetry/log.ts';

/**
 * Node has no datagram sockets of Unix, which systemd listens on. A small shell that was started while this
 * process was small hands each line on to systemd-notify: a ping then costs the event loop a write, where
 * starting a process costs it a copy of the page tables, the longer the more memory Brume uses.
 */
const RELAY = 'while IFS= read -r state; do systemd-notify "$state"; done';

export type Notifications = Pick<ServiceManager, 'notifySocket' | 'watchdogMs' | 'path'>;

/** Tells systemd how this service is; does nothing where nobody wants to know. */
export class Notifier {
  readonly #manager: Notifications;
  readonly #log: Logger;
  readonly #watchdog: NodeJS.Timeout | undefined;
  #relay: ChildProcess | undefined;
  #isClosed = false;

  constructor(manager: Notifications, log: Logger) {
    this.#manager = manager;
    this.#log = log;
    if (manager.notifySocket === undefined) return;
    this.#relay = this.#start();
    if (manager.watchdogMs === undefined) return;
    // On the event loop, so that a loop that stands still falls silent.
    this.#watchdog = setInterval(() => this.#tell('WATCHDOG=1'), manager.watchdogMs / 2);
    this.#watchdog.unref();
  }

  /** One line of text for `systemctl status`. */
  status(text: string): void {
    this.#tell(`STATUS=${text.replaceAll(/\s+/g, ' ')}`);
  }

  /** Serving: whoever waits for the start goes on. */
  ready(): void {
    this.#tell('READY=1');
  }

  /** What is under way, a start or an end, may take so long from now, whatever systemd's own time-outs say. */
  mayTake(withinMs: number): void {
    this.#tell(`EXTEND_TIMEOUT_USEC=${Math.ceil(withinMs) * 1000}`);
  }

  /** The end was asked for, and may take `withinMs`. */
  stopping(withinMs: number): void {
    this.#tell('STOPPING=1');
    this.mayTake(withinMs);
  }

  /** What was told before is still handed on. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#watchdog);
    this.#relay?.stdin?.end();
  }

  #tell(state: string): void {
    if (this.#manager.notifySocket === undefined || this.#isClosed) return;
    this.#relay ??= this.#start();
    this.#relay.stdin?.write(`${state}\n`);
  }

  #start(): ChildProcess {
    const { notifySocket, path } = this.#manager;
    // Nothing else of our environment: it may hold passwords.
    const relay = spawn('/bin/sh', ['-c', RELAY], {
      env: { PATH: path, NOTIFY_SOCKET: notifySocket },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const lose = (reason: unknown): void => {
      if (this.#relay !== relay) return;
      // The next state starts another one; a watchdog's is never far.
      this.#relay = undefined;
      if (!this.#isClosed) this.#log.warn({ reason }, 'systemd is not told any more: what tells it ended');
    };
    relay.on('error', (error) => lose(error.message));
    relay.on('exit', (code, signal) => lose(signal ?? code));
    relay.stdin.on('error', () => undefined); // its end says the same
    relay.unref();
    if ('unref' in relay.stdin && typeof relay.stdin.unref === 'function') relay.stdin.unref();
    return relay;
  }
}
