import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
  readonly bodySha256: string;
}

export interface AppServer {
  readonly url: string;
  /** What arrived so far. */
  readonly seen: readonly SeenRequest[];
  stop(): Promise<void>;
}

/**
 * The application behind the proxy: reads each request to its end, remembers it and answers 200. On a
 * connection that is upgraded it sends back what it gets.
 */
export async function startApp(): Promise<AppServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, answer) => {
    const { method = '', url = '', headers } = incoming;
    const hash = createHash('sha256');
    let bodyBytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bodyBytes += chunk.length;
      hash.update(chunk);
    });
    incoming.on('end', () => {
      seen.push({ method, url, headers, bodyBytes, bodySha256: hash.digest('hex') });
      answer.end('app\n');
    });
  });
  const upgraded = new Set<Duplex>();
  server.on('upgrade', ({ method = '', url = '', headers }, socket, head) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket)).on('error', () => undefined);
    seen.push({ method, url, headers, bodyBytes: 0, bodySha256: '' });
    socket.write(switchingProtocols(headers['sec-websocket-key'] ?? ''));
    socket.write(head);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    stop: async () => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The answer that RFC 6455, 4.2.2, prescribes; HAProxy takes no other for one. */
function switchingProtocols(key: string): string {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const lines = ['Connection: Upgrade', 'Upgrade: websocket', `Sec-WebSocket-Accept: ${accept}`];
  return ['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n');
}
