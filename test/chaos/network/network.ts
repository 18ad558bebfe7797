import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { type Cut, type Direction, RelayedConnection } from './relayed-connection.ts';
import { portsOf } from './socket-owners.ts';

/** Who is cut off from whom. */
export interface Partition {
  /** The ports that processes listen on themselves. */
  readonly to: readonly number[];
  /** The callers, by their pids; absent: all but `exceptFrom`. */
  readonly from?: readonly number[];
  readonly exceptFrom?: readonly number[];
  readonly cut: Cut;
  readonly direction: Direction;
}

interface Relay {
  readonly port: number;
  readonly targetPort: number;
  readonly server: Server;
  readonly connections: Set<RelayedConnection>;
}

const LISTEN_MAX_MS = 10_000;

/** Relays in front of processes on loopback, which are known to all others by their relays' ports. */
export class Network {
  readonly #relays = new Map<number, Relay>();
  #partitions: readonly Partition[] = [];

  /** The port at which the process that listens on `targetPort` is reached from now on. */
  async relayTo(targetPort: number): Promise<number> {
    const connections = new Set<RelayedConnection>();
    const server = createServer((caller) => {
      const connection = new RelayedConnection(caller, connect(targetPort, '127.0.0.1'));
      connections.add(connection);
      connection.onClose(() => connections.delete(connection));
      for (const partition of this.#partitions)
        if (partition.to.includes(targetPort)) cut([connection], partition);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    this.#relays.set(targetPort, { port: address.port, targetPort, server, connections });
    return address.port;
  }

  /** Until mend(); in place of those before. */
  divide(partitions: readonly Partition[]): void {
    this.#partitions = partitions;
    for (const partition of partitions)
      for (const port of partition.to) cut([...this.#relay(port).connections], partition);
  }

  mend(): void {
    this.#partitions = [];
    for (const { connections } of this.#relays.values())
      for (const connection of connections) connection.mend();
  }

  /** Ends these callers' connections; new ones pass. */
  end(targetPort: number, from: readonly number[]): void {
    for (const connection of ownedBy([...this.#relay(targetPort).connections], from)) connection.end();
  }

  /** As when nobody listens there. */
  async refuse(targetPort: number): Promise<void> {
    const { server, connections } = this.#relay(targetPort);
    for (const connection of connections) connection.end();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  }

  async accept(targetPort: number): Promise<void> {
    const { server, port } = this.#relay(targetPort);
    for (const endMs = Date.now() + LISTEN_MAX_MS; !server.listening; ) {
      server.listen(port, '127.0.0.1');
      try {
        await once(server, 'listening');
      } catch (error) {
        // Somebody else has the port for a moment.
        if (Date.now() > endMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async stop(): Promise<void> {
    for (const port of this.#relays.keys()) await this.refuse(port);
  }

  #relay(targetPort: number): Relay {
    const relay = this.#relays.get(targetPort);
    if (relay === undefined) throw new Error(`no relay to port ${targetPort}`);
    return relay;
  }
}

function cut(connections: readonly RelayedConnection[], partition: Partition): void {
  const { from, exceptFrom = [], cut: how, direction } = partition;
  const spared = new Set(exceptFrom.length === 0 ? [] : ownedBy(connections, exceptFrom));
  const chosen = from === undefined ? connections : ownedBy(connections, from);
  for (const connection of chosen) if (!spared.has(connection)) connection.cut(how, direction);
}

function ownedBy(
  connections: readonly RelayedConnection[],
  pids: readonly number[],
): readonly RelayedConnection[] {
  const ports = new Set(pids.flatMap((pid) => [...portsOf(pid)]));
  return connections.filter(({ callerPort }) => ports.has(callerPort));
}
