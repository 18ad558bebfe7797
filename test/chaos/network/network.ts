import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { type Cut, type Direction, RelayedConnection } from './relayed-connection.ts';
import { ownersOfPorts } from './socket-owners.ts';

/** Who is cut off from whom: of callers that none names by pid all, unless `from` is there. */
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
/** New connections wait so long until it is known whose they are: to look costs more than a connection. */
const LOOK_EVERY_MS = 30;

/** Relays in front of processes on loopback, which are known to all others by their relays' ports. */
export class Network {
  readonly #relays = new Map<number, Relay>();
  readonly #unknown = new Map<RelayedConnection, Relay>();
  #partitions: readonly Partition[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** The port at which the process that listens on `targetPort` is reached from now on. */
  async relayTo(targetPort: number): Promise<number> {
    const connections = new Set<RelayedConnection>();
    const server = createServer((caller) => {
      const connection = new RelayedConnection(caller, connect(targetPort, '127.0.0.1'));
      connections.add(connection);
      connection.onClose(() => connections.delete(connection));
      if (this.#partitions.some(({ to }) => to.includes(targetPort))) this.#ask(connection, targetPort);
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
    this.mend();
    this.#partitions = partitions;
    for (const port of new Set(partitions.flatMap(({ to }) => to))) {
      const relay = this.#relay(port);
      for (const connection of relay.connections) this.#unknown.set(connection, relay);
    }
    this.#apply();
  }

  mend(): void {
    this.#partitions = [];
    this.#apply();
    for (const { connections } of this.#relays.values())
      for (const connection of connections) connection.mend();
  }

  /** Ends these callers' connections; new ones pass. */
  end(targetPort: number, from: readonly number[]): void {
    const owners = ownersOfPorts(from);
    for (const connection of this.#relay(targetPort).connections)
      if (owners.has(connection.callerPort)) connection.end();
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
    this.mend();
    for (const port of this.#relays.keys()) await this.refuse(port);
  }

  #ask(connection: RelayedConnection, targetPort: number): void {
    connection.cut('held', 'both');
    this.#unknown.set(connection, this.#relay(targetPort));
    this.#timer ??= setTimeout(() => this.#apply(), LOOK_EVERY_MS);
  }

  /** Cuts those whose owner is to be cut off, and lets all others pass. */
  #apply(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pids = this.#partitions.flatMap(({ from = [], exceptFrom = [] }) => [...from, ...exceptFrom]);
    const owners = this.#unknown.size === 0 ? new Map<number, number>() : ownersOfPorts(pids);
    for (const [connection, { targetPort }] of this.#unknown) {
      connection.mend();
      const owner = owners.get(connection.callerPort);
      for (const partition of this.#partitions)
        if (partition.to.includes(targetPort) && isMeant(partition, owner))
          connection.cut(partition.cut, partition.direction);
    }
    this.#unknown.clear();
  }

  #relay(targetPort: number): Relay {
    const relay = this.#relays.get(targetPort);
    if (relay === undefined) throw new Error(`no relay to port ${targetPort}`);
    return relay;
  }
}

function isMeant({ from, exceptFrom = [] }: Partition, owner: number | undefined): boolean {
  if (owner === undefined) return from === undefined;
  return from === undefined ? !exceptFrom.includes(owner) : from.includes(owner);
}
