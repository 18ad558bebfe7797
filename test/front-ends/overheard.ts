import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Between a proxy and Brume: passes everything on, and keeps what the proxy said. */
export interface Overheard {
  readonly port: number;
  /** What the proxy sent so far, as it stood on the wire. */
  said(): string;
  /** Forgets what was said. */
  forget(): void;
  /** From now on Brume takes connections and says nothing. */
  hang(): void;
  stop(): Promise<void>;
}

export async function overhear(brumePort: number): Promise<Overheard> {
  const sockets = new Set<Socket>();
  let said: Buffer[] = [];
  let isHanging = false;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  }

  const server = createServer((near) => {
    keep(near);
    near.on('data', (chunk) => said.push(chunk));
    if (isHanging) return;
    const far = keep(connect(brumePort, '127.0.0.1'));
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    said: () => Buffer.concat(said).toString('latin1'),
    forget: () => {
      said = [];
    },
    hang: () => {
      isHanging = true;
      for (const socket of sockets) socket.destroy();
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
