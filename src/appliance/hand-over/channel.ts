import type { Socket } from 'node:net';
import { type Message, messageIn } from './messages.ts';

const LINE_LENGTH_MAX = 16_384;

/** One side of what two processes say to each other. */
export class Channel {
  readonly #socket: Socket;
  readonly #received: Message[] = [];
  #text = '';
  #isClosed = false;
  #wake: (() => void) | undefined;
  /** Resolves when the other side is gone, or has said what is no message. */
  readonly closed: Promise<void>;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => this.#read(chunk));
    socket.on('error', () => undefined); // its end says the same
    socket.on('end', () => socket.destroy());
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        this.#wake?.();
        resolve();
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(message: Message): void {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** The next message; undefined if the other side has gone; `late` if none has come within the time. */
  async next(withinMs = Number.POSITIVE_INFINITY): Promise<Message | 'late' | undefined> {
    const untilMs = performance.now() + withinMs;
    while (this.#received.length === 0 && !this.#isClosed) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return 'late';
      await this.#change(leftMs);
    }
    return this.#received.shift();
  }

  /** Leaves it open, and no reason for the process to go on. */
  endWithProcess(): void {
    this.#socket.unref();
  }

  /** What was sent before still arrives. */
  end(): void {
    this.#socket.end();
  }

  #change(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(withinMs) ? setTimeout(resolve, withinMs) : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #read(chunk: string): void {
    const lines = (this.#text + chunk).split('\n');
    this.#text = lines.pop() ?? '';
    const messages = lines.map(messageIn);
    for (const message of messages) if (message !== undefined) this.#received.push(message);
    if (messages.includes(undefined) || this.#text.length > LINE_LENGTH_MAX) this.#socket.destroy();
    this.#wake?.();
  }
}
