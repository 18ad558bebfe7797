import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';

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

/** The application behind the proxy: reads each request to its end, remembers it and answers 200. */
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
