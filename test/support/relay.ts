import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Bytes that went towards the target so far. */
  bytesSent(): number;
  /** From now on nothing passes and nothing ends, as if a cable were cut: on no connection, old or new. */
  swallow(): void;
  /** Ends all connections; new ones pass as before. */
  cut(): void;
  /** Holds back whatever comes, on both sides, until flow(); new connections are taken and hear nothing. */
  stall(): void;
  flow(): void;
  /** New connections pass again. Those that were swallowed stay dead, and nobody is told. */
  passAgain(): void;
  stop(): Promise<void>;
}

export interface RelayOptions {
  /** What comes back is so long on its way, as from a server that is far away; 0 if absent. */
  readonly delayMs?: number;
}

/** Passes TCP connections on to a port of 127.0.0.1 and counts what goes there. */
export async function startRelay(targetPort: number, { delayMs = 0 }: RelayOptions = {}): Promise<Relay> {
  const sockets = new Set<Socket>();
  const pairs = new Set<readonly [Socket, Socket]>();
  let bytes = 0;
  let isSwallowing = false;
  let isStalled = false;

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  }

  function pass(near: Socket): void {
    const pair = [near, keep(connect(targetPort, '127.0.0.1'))] as const;
    const [, far] = pair;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('close', () => {
        // A connection that was swallowed ends on one side only.
        if (!pairs.delete(pair)) return;
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (chunk) => {
      bytes += chunk.length;
    });
    near.pipe(far);
    if (delayMs === 0) far.pipe(near);
    else far.on('data', (chunk) => void setTimeout(() => near.write(chunk), delayMs));
    if (isStalled) hold(pair);
  }

  /** The pipes stay; what comes waits in the kernel's buffers. */
  function hold(pair: readonly [Socket, Socket]): void {
    for (const socket of pair) socket.cork();
    for (const socket of pair) socket.pause();
  }

  function letGo(pair: readonly [Socket, Socket]): void {
    for (const socket of pair) socket.uncork();
    for (const socket of pair) socket.resume();
  }

  function cut(pair: readonly [Socket, Socket]): void {
    const [near, far] = pair;
    pairs.delete(pair);
    near.unpipe(far);
    far.unpipe(near);
    for (const socket of pair) socket.removeAllListeners('data').removeAllListeners('end').resume();
  }

  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (isSwallowing) near.resume();
    else pass(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    bytesSent: () => bytes,
    swallow: () => {
      isSwallowing = true;
      for (const pair of pairs) cut(pair);
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    stall: () => {
      isStalled = true;
      for (const pair of pairs) hold(pair);
    },
    flow: () => {
      isStalled = false;
      for (const pair of pairs) letGo(pair);
    },
    passAgain: () => {
      isSwallowing = false;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
