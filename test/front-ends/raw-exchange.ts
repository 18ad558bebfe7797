import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawRequest {
  readonly port: number;
  /** The loopback address of the client. */
  readonly from: string;
  readonly method?: string;
  /** Goes out as it is written. */
  readonly path: string;
  /** Header lines as they are to stand on the wire. */
  readonly lines?: readonly string[];
}

export interface RawAnswer {
  readonly status: number;
  /** Everything that came, head and body. */
  readonly text: string;
}

/** One request whose every byte is the test's, on a connection that ends with it. */
export async function exchange({ lines = [], ...where }: RawRequest): Promise<RawAnswer> {
  const isClosing = lines.some((line) => /^connection:/i.test(line));
  const socket = begin({ ...where, lines: isClosing ? lines : [...lines, 'Connection: close'] });
  const answer = await firstAnswer(socket, (text) => isWhole(text, where.method === 'HEAD'));
  socket.destroy();
  return answer;
}

/** Sends a request's head, and leaves the rest to the caller. */
export function begin({ port, from, method = 'GET', path, lines = [] }: RawRequest): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.write([`${method} ${path} HTTP/1.1`, 'Host: site', ...lines, '', ''].join('\r\n'));
  return socket;
}

/** What comes until `isEnough`, or until the other side ends. */
export async function firstAnswer(socket: Socket, isEnough: (text: string) => boolean): Promise<RawAnswer> {
  let text = '';
  const onData = (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (isEnough(text)) socket.emit('enough');
  };
  socket.on('data', onData);
  await Promise.race([once(socket, 'enough'), once(socket, 'close')]);
  socket.off('data', onData);
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]), text };
}

function isWhole(text: string, isHead: boolean): boolean {
  const [head = '', body] = splitHead(text);
  if (body === undefined) return false;
  if (isHead) return true;
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length !== undefined && body.length >= Number(length);
}

function splitHead(text: string): [head: string, body: string | undefined] {
  const at = text.indexOf('\r\n\r\n');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 4)];
}
