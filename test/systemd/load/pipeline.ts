import type { Socket } from 'node:net';
import { type RawAnswer, rawConnection } from './raw-connection.ts';

export interface PipelinedRequest {
  readonly text: string;
  answered(answer: RawAnswer): void;
  failed(what: string): void;
}

/**
 * One kept-alive connection at a time, on which requests are sent without waiting for the answers before. What
 * stood behind the answer that says `Connection: close` is sent again on the next one, as RFC 9112, 9.3.2,
 * has it; an end without that is a fault of all that was owed.
 */
export class Pipeline {
  readonly #port: number;
  readonly #onSentAgain: () => void;
  #socket: Socket | undefined;
  #owed: PipelinedRequest[] = [];
  #unsent: PipelinedRequest[] = [];

  constructor(port: number, onSentAgain: () => void) {
    this.#port = port;
    this.#onSentAgain = onSentAgain;
  }

  send(request: PipelinedRequest): void {
    this.#unsent.push(request);
    // After what has come was read, and all in one write: the second write into a connection that the other side
    // has closed would fail, and its last answers would not be read any more.
    if (this.#unsent.length === 1) setImmediate(() => this.#flush());
  }

  end(): void {
    this.#socket?.end();
  }

  #flush(): void {
    const requests = this.#unsent.splice(0);
    this.#socket ??= this.#open();
    this.#owed.push(...requests);
    this.#socket.write(requests.map(({ text }) => text).join(''));
  }

  #open(): Socket {
    const socket: Socket = rawConnection(this.#port, {
      onAnswer: (answer) => {
        if (this.#socket !== socket) return;
        this.#owed.shift()?.answered(answer);
        if (answer.isLast) this.#moveOn(socket);
      },
      onEnd: (code) => {
        if (this.#socket !== socket) return;
        this.#socket = undefined;
        for (const request of this.#owed.splice(0)) request.failed(code ?? 'closed without an answer');
      },
    });
    return socket;
  }

  #moveOn(socket: Socket): void {
    this.#socket = undefined;
    socket.end();
    for (const request of this.#owed.splice(0)) {
      this.#onSentAgain();
      this.send(request);
    }
  }
}
