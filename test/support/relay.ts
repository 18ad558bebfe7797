import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Bytes that went towards the target so far. */
  bytesSent(): number;
  stop(): Promise<void>;
}

/** Passes TCP connections on to a port of 127.0.0.1 and counts what goes there. */
export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let bytes = 0;
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (chunk) => {
      bytes += chunk.length;
    });
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    bytesSent: () => bytes,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
