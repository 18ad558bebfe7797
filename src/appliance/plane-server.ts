import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hostFault, refuse } from './host-header.ts';
import { closeLingering, LINGER_MS } from './lingering-close.ts';
import { stoppableRequest } from './stoppable-request.ts';

/** Bounds of one HTTP listener; from the configuration. */
export interface HttpBounds {
  readonly headersMaxBytes: number;
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly connectionsMax: number;
}

/** Certificate and private key in PEM. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
}

/** What a listener needs of a plane; a fastify instance that is ready. */
export interface Plane {
  readonly routing: (request: IncomingMessage, response: ServerResponse) => void;
  /** The instance's own server, which never listens: its `clientError` handler is the plane's. */
  readonly server: { emit(event: 'clientError', error: Error, socket: Socket): boolean };
}

interface PlaneServerOptions {
  /** Undefined: plain HTTP. */
  readonly tls?: TlsIdentity | undefined;
  readonly standstillMs?: number | undefined;
  readonly lingerMs?: number | undefined;
  /** Waits for the other end to close also where that has asked for the end itself. */
  readonly lingersAlways?: boolean;
  /** Told when an answer that had begun was cut off, because nothing of it could be sent for so long. */
  readonly onStandstill?: (() => void) | undefined;
}

/** How often Node looks for connections past their time-outs; its default of 30 s makes them meaningless. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;

/**
 * Requests of one connection that may be unanswered at a time. The last of them is answered with
 * `Connection: close`, and what is pipelined behind it is neither read nor answered.
 */
export const UNANSWERED_MAX = 32;

/**
 * How much longer than a request's arrival a connection may stand still while it owes an answer,
 * because the answer takes so long (the planes end it sooner) or nobody reads it.
 */
const STANDSTILL_MS = 20_000;

/** A connection, with the answers that are owed on it. */
interface Connection {
  readonly unanswered: Set<ServerResponse>;
  /** Its last answer is decided; what comes behind that is not for us any more. */
  isClosing: boolean;
  /** That answer is given; what still comes is thrown away until the client closes. */
  isLingering: boolean;
}

/**
 * One listener in front of a plane: Node's HTTP server with the configured bounds, and the three
 * steps of a drain that loses nothing (see drain.ts). `http.Server.close()` is not one of them: it
 * closes idle connections at once, under a proxy that is just about to use them.
 */
export class PlaneServer {
  readonly server: Server;
  readonly #connections = new Map<Socket, Connection>();
  /** Connections beneath TLS, whether they have shaken hands or not. */
  readonly #handshakes = new Set<Socket>();
  readonly #standstillMs: number;
  readonly #lingerMs: number;
  readonly #lingersAlways: boolean;
  readonly #onStandstill: () => void;
  #plane: Plane;
  #isDraining = false;

  /** @throws if the certificate and the key are none, or not each other's. */
  constructor(
    plane: Plane,
    bounds: HttpBounds,
    {
      tls,
      standstillMs = bounds.requestTimeoutMs + STANDSTILL_MS,
      lingerMs = LINGER_MS,
      lingersAlways = false,
      onStandstill = () => undefined,
    }: PlaneServerOptions = {},
  ) {
    this.#plane = plane;
    this.#standstillMs = standstillMs;
    this.#lingerMs = lingerMs;
    this.#lingersAlways = lingersAlways;
    this.#onStandstill = onStandstill;
    const isOver = (socket: Socket): boolean => this.#connections.get(socket)?.isClosing ?? false;
    const options = {
      maxHeaderSize: bounds.headersMaxBytes,
      // Node refuses a header time-out beyond the request's.
      headersTimeout: Math.min(bounds.headerTimeoutMs, bounds.requestTimeoutMs),
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      // Node would answer itself, and hand on what is pipelined behind it: judged, and never answered.
      requireHostHeader: false,
      IncomingMessage: stoppableRequest(isOver),
      shouldUpgradeCallback: ({ socket }: IncomingMessage) => isOver(socket),
    };
    this.server =
      tls === undefined
        ? createServer(options)
        : createTlsServer({ ...options, ...tls, handshakeTimeout: bounds.headerTimeoutMs });
    this.server.setTimeout(standstillMs, (socket) => this.#cutOff(socket));
    this.server.maxConnections = bounds.connectionsMax;
    // Node drops headers past the 2000th in silence; the size is bounded already.
    this.server.maxHeadersCount = 0;
    // Behind TLS a connection is ours once it has shaken hands; until then the handshake's time-out holds.
    this.server.on(tls === undefined ? 'connection' : 'secureConnection', (socket) => this.#track(socket));
    if (tls !== undefined) this.server.on('connection', (socket) => this.#trackHandshake(socket));
    this.server.on('clientError', (error, socket) => this.#answerFault(error, socket as Socket));
    const answer = this.#answer.bind(this);
    this.server.on('request', answer);
    // Without this Node invites every announced body; the planes do so only for one they will read.
    this.server.on('checkContinue', answer);
    // And without this it refuses any other expectation itself, with a bare 417.
    this.server.on('checkExpectation', answer);
    this.server.on('upgrade', (_request, socket) => this.#leaveUnread(socket));
  }

  /** From now on requests go to this plane; those that run stay where they are. */
  serveBy(plane: Plane): void {
    this.#plane = plane;
  }

  /** The answers that are owed. */
  *unanswered(): Iterable<ServerResponse> {
    for (const { unanswered } of this.#connections.values()) yield* unanswered;
  }

  /** Requests that are being answered. */
  get runningCount(): number {
    let count = 0;
    for (const { unanswered } of this.#connections.values()) count += unanswered.size;
    return count;
  }

  /** Open connections. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Accepts no more connections and tells everyone on the open ones; resolves when all have gone. */
  async stopAccepting(): Promise<void> {
    this.#isDraining = true;
    const gone = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(this.server, () => resolve());
    });
    // Of answers that wait on one connection (pipelining) only the last may say so.
    for (const connection of this.#connections.values()) {
      const last = [...connection.unanswered].at(-1);
      if (last !== undefined) announceClose(connection, last);
    }
    await gone;
    this.closeAll(); // ends Node's own timer
  }

  /** Closes connections on which nothing is being asked. */
  closeIdle(): void {
    onceRead(() => {
      this.server.closeIdleConnections();
      // Node counts a connection that has never sent anything as busy.
      for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    });
  }

  /** Stops listening, if it still does, and cuts every connection. */
  closeAll(): void {
    this.server.close(() => undefined);
    this.server.closeAllConnections();
    for (const socket of [...this.#connections.keys(), ...this.#handshakes]) socket.destroy();
  }

  #trackHandshake(socket: Socket): void {
    this.#handshakes.add(socket);
    socket.once('close', () => this.#handshakes.delete(socket));
  }

  #track(socket: Socket): void {
    const connection = { unanswered: new Set<ServerResponse>(), isClosing: false, isLingering: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
    // What Node calls once the last answer of a connection is given, as does the plane after a fault.
    const destroySoon = socket.destroySoon;
    socket.destroySoon = () => {
      if (this.#lingersAlways || mayBringMore(connection)) this.#linger(socket, connection);
      else destroySoon.call(socket);
    };
  }

  #linger(socket: Socket, connection: Connection): void {
    connection.isClosing = true;
    connection.isLingering = true;
    // The rest of a body that nobody reads would stand in the way.
    for (const { req } of connection.unanswered) req.resume();
    closeLingering(socket, this.#lingerMs);
  }

  #answerFault(error: Error, socket: Socket): void {
    const connection = this.#connections.get(socket);
    // Who can't shake hands would not understand an answer.
    if (connection === undefined) socket.destroy();
    // The parser says so of each piece that comes after a fault, too.
    else if (!connection.isLingering) {
      connection.isClosing = true;
      this.#plane.server.emit('clientError', error, socket);
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) return; // it has closed meanwhile
    const { unanswered } = connection;
    unanswered.add(response);
    response.once('close', () => unanswered.delete(response));
    const fault = hostFault(request);
    const isLast = this.#isDraining || unanswered.size >= UNANSWERED_MAX || fault !== undefined;
    if (isLast) announceClose(connection, response);
    if (fault === undefined) this.#plane.routing(request, response);
    else refuse(response, fault);
  }

  /** Nothing has moved on it for too long. */
  #cutOff(socket: Socket): void {
    const { bytesRead } = socket;
    onceRead(() => {
      if (socket.bytesRead !== bytesRead) return;
      const unanswered = this.#connections.get(socket)?.unanswered ?? [];
      if ([...unanswered].some(({ headersSent }) => headersSent)) this.#onStandstill();
      socket.destroy();
    });
  }

  /** Node has let go of the connection, but for the answers that are still owed on it. */
  #leaveUnread(socket: Duplex): void {
    socket.on('error', () => socket.destroy());
    if (this.#connections.get(socket as Socket)?.isLingering) socket.resume();
    if ('setTimeout' in socket) {
      (socket as Socket).setTimeout(this.#standstillMs, () => this.#cutOff(socket as Socket));
    }
  }
}

/**
 * Goes on once what has arrived is read. Timers come before that: of a loop that was held up, a request that came
 * in time is still unread, and to close its connection now would reset it.
 */
function onceRead(goOn: () => void): void {
  setImmediate(goOn);
}

/** Of a client that has asked for the end itself, and has sent all of its request, nothing is to be expected. */
function mayBringMore({ isClosing, unanswered }: Connection): boolean {
  return isClosing || [...unanswered].some(({ req }) => !req.complete);
}

function announceClose(connection: Connection, response: ServerResponse): void {
  if (response.headersSent) return; // the next answer will say so
  response.setHeader('connection', 'close');
  connection.isClosing = true;
}
