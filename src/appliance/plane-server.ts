import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** Bounds of one HTTP listener; from the configuration. */
export interface HttpBounds {
  readonly headersMaxBytes: number;
  readonly headerTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly connectionsMax: number;
}

/** What a listener needs of a plane; a fastify instance that is ready. */
export interface Plane {
  readonly routing: (request: IncomingMessage, response: ServerResponse) => void;
  /** The instance's own server, which never listens: its `clientError` handler is the plane's. */
  readonly server: { emit(event: 'clientError', error: Error, socket: Socket): boolean };
}

/** How often Node looks for connections past their time-outs; its default of 30 s makes them meaningless. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;

/**
 * One listener in front of a plane: Node's HTTP server with the configured bounds, and the three
 * steps of a drain that loses nothing (see drain.ts). `http.Server.close()` is not one of them: it
 * closes idle connections at once, under a proxy that is just about to use them.
 */
export class PlaneServer {
  readonly server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<ServerResponse>();
  /** Connections whose last answer is decided; what is pipelined behind it is not for us any more. */
  readonly #closing = new WeakSet<Socket>();
  #isDraining = false;

  constructor(plane: Plane, bounds: HttpBounds) {
    this.server = createServer({
      maxHeaderSize: bounds.headersMaxBytes,
      // Node refuses a header time-out beyond the request's.
      headersTimeout: Math.min(bounds.headerTimeoutMs, bounds.requestTimeoutMs),
      requestTimeout: bounds.requestTimeoutMs,
      keepAliveTimeout: bounds.keepAliveMs,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    });
    this.server.maxConnections = bounds.connectionsMax;
    // Node drops headers past the 2000th in silence; the size is bounded already.
    this.server.maxHeadersCount = 0;
    this.server.on('connection', (socket) => this.#track(socket));
    this.server.on('clientError', (error, socket) =>
      plane.server.emit('clientError', error, socket as Socket),
    );
    const answer = this.#answer.bind(this, plane);
    this.server.on('request', answer);
    // Without this Node invites every announced body; the planes do so only for one they will read.
    this.server.on('checkContinue', answer);
    // And without this it refuses any other expectation itself, with a bare 417.
    this.server.on('checkExpectation', answer);
  }

  /** Requests that are being answered. */
  get runningCount(): number {
    return this.#running.size;
  }

  /** Accepts no more connections and tells everyone on the open ones; resolves when all have gone. */
  async stopAccepting(): Promise<void> {
    this.#isDraining = true;
    const gone = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(this.server, () => resolve());
    });
    // Of answers that wait on one connection (pipelining) only the last may say so.
    const last = new Map<Socket, ServerResponse>();
    for (const response of this.#running) last.set(response.req.socket, response);
    for (const response of last.values()) this.#announceClose(response);
    await gone;
    this.closeAll(); // ends Node's own timer
  }

  /** Closes connections on which nothing is being asked. */
  closeIdle(): void {
    this.server.closeIdleConnections();
    // Node counts a connection that has never sent anything as busy.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Stops listening, if it still does, and cuts every connection. */
  closeAll(): void {
    this.server.close(() => undefined);
    this.server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #answer(plane: Plane, request: IncomingMessage, response: ServerResponse): void {
    if (this.#isDraining) {
      if (this.#closing.has(request.socket)) return;
      this.#announceClose(response);
    }
    this.#running.add(response);
    response.once('close', () => this.#running.delete(response));
    plane.routing(request, response);
  }

  #announceClose(response: ServerResponse): void {
    // Not response.socket: an answer that waits for one before it has none yet.
    this.#closing.add(response.req.socket);
    if (!response.headersSent) response.setHeader('connection', 'close');
  }
}
