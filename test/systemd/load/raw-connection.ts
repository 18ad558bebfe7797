import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly body: string;
  /** The server will answer nothing more on this connection. */
  readonly isLast: boolean;
}

export interface RawEvents {
  onAnswer(answer: RawAnswer): void;
  /** It ended: without a fault of its own, or by the code of one (ECONNRESET, ECONNREFUSED). */
  onEnd(code: string | undefined): void;
}

/** A connection to loopback on which one writes requests as bytes; answers have a Content-Length. */
export function rawConnection(port: number, { onAnswer, onEnd }: RawEvents): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  let code: string | undefined;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    for (let taken = firstAnswer(received); taken !== undefined; taken = firstAnswer(received)) {
      received = received.slice(taken.length);
      onAnswer(taken.answer);
    }
  });
  socket.on('error', (error) => {
    code = 'code' in error ? String(error.code) : error.message;
  });
  socket.on('close', () =>
    onEnd(code ?? (received === '' ? undefined : `cut within an answer: ${received}`)),
  );
  return socket;
}

function firstAnswer(text: string): { answer: RawAnswer; length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]?.trim();
  const length = headEnd + 4 + Number(header('content-length') ?? 0);
  if (text.length < length) return undefined;
  return {
    answer: {
      status: Number(head.split(' ')[1]),
      body: text.slice(headEnd + 4, length),
      isLast: header('connection')?.toLowerCase() === 'close',
    },
    length,
  };
}
