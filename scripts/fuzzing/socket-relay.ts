import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

export interface SocketRelay {
  readonly url: string;
  close(): void;
}

/** Listens on a loopback port for a Unix socket, which schemathesis can't ask. */
export async function relayTo(socketPath: string): Promise<SocketRelay> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const behind = connect(socketPath);
    for (const one of [socket, behind]) {
      sockets.add(one);
      one.once('close', () => sockets.delete(one));
    }
    // Whichever side ends, however it does, the other is closed; there is nobody to tell why.
    pipeline(socket, behind, socket, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
