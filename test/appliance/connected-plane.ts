import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { bind } from '../../src/appliance/listen.ts';
import { type Plane, PlaneServer } from '../../src/appliance/plane-server.ts';
import { type RawConnection, rawConnection } from './fakes.ts';

const BOUNDS = {
  headersMaxBytes: 16384,
  headerTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 60_000,
  connectionsMax: 100,
};

export type Routing = (request: IncomingMessage, response: ServerResponse) => void;

interface ConnectedPlane {
  readonly planeServer: PlaneServer;
  readonly client: RawConnection;
  /** The listener's end of the client's connection. */
  readonly socket: Socket;
  /** The URLs that came through. */
  readonly asked: readonly string[];
}

/** A listener in front of the given handler, and one client connection. */
export async function connectedPlane(
  t: TestContext,
  routing: Routing,
  {
    server = { emit: () => true },
    keepAliveMs = BOUNDS.keepAliveMs,
    ...options
  }: ConstructorParameters<typeof PlaneServer>[2] & {
    readonly server?: Plane['server'];
    readonly keepAliveMs?: number;
  } = {},
): Promise<ConnectedPlane> {
  const asked: string[] = [];
  const plane: Plane = {
    routing: (request, response) => {
      asked.push(request.url ?? '');
      routing(request, response);
    },
    server,
  };
  const planeServer = new PlaneServer(plane, { ...BOUNDS, keepAliveMs }, options);
  await bind(planeServer.server, { host: '127.0.0.1', port: 0 });
  t.after(() => planeServer.closeAll());
  const accepted = once(planeServer.server, 'connection');
  const { port } = planeServer.server.address() as AddressInfo;
  const client = await rawConnection(t, { port });
  const [socket] = (await accepted) as [Socket];
  return { planeServer, asked, client, socket };
}

export const get = (url: string | number, header = ''): string =>
  `GET /${url} HTTP/1.1\r\nHost: brume\r\n${header}\r\n`;
export const gets = (count: number): string => Array.from({ length: count }, (_, n) => get(n)).join('');
