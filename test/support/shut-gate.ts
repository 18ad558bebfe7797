import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands before a port of 127.0.0.1, and can be shut: what is behind it keeps all that it has. */
export interface ShutGate {
  readonly port: number;
  /** Ends all connections and refuses new ones. */
  shut(): Promise<void>;
  /** Lets connections pass again, at the same port. */
  open(): Promise<void>;
}

export async function startGate(targetPort: number): Promise<ShutGate> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  let port = 0;
  let server: Server | undefined;
  const gate = {
    get port() {
      return port;
    },
    async shut() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      closing.close();
      for (const socket of sockets) socket.destroy();
      await once(closing, 'close');
    },
    async open() {
      server = createServer((near) => {
        const far = keep(connect(targetPort, '127.0.0.1'));
        keep(near).pipe(far).pipe(near);
      });
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      port = address.port;
    },
  };
  await gate.open();
  return gate;
}
