import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Logger } from '../../src/telemetry/log.ts';
import { createLogger } from '../../src/telemetry/log.ts';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** A log that keeps its lines. */
export function recordedLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as LogLine);
      done();
    },
  });
  return { log: createLogger({ level: 'debug', showIdentifiers: true, stream: sink }), lines };
}

/** A raw connection that keeps what it received. */
export async function rawConnection(
  t: TestContext,
  where: { port: number; host?: string } | { path: string },
): Promise<RawConnection> {
  const socket = connect('path' in where ? where : { host: '127.0.0.1', ...where });
  t.after(() => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return new RawConnection(socket);
}

export class RawConnection {
  readonly socket: Socket;
  received = '';
  readonly closed: Promise<void>;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.received += String(chunk);
      this.#wake();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        resolve();
        this.#wake();
      });
    });
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** Resolves when the text has been received; rejects if the connection closes without it. */
  async until(text: string): Promise<void> {
    while (!this.received.includes(text)) {
      if (this.socket.closed) throw new Error(`closed without ${JSON.stringify(text)}: ${this.received}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
