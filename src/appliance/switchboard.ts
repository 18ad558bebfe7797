import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { BrumeError } from '../errors/catalogue.ts';
import { receiveForwarded } from './hand-over/forwarded-request.ts';
import { Gate, type HeldRequest, type Taker } from './hand-over/gate.ts';
import { replayedRequest } from './hand-over/replayed-request.ts';
import { untilNoneRuns } from './hand-over/running.ts';
import { refuse } from './host-header.ts';
import { addListenerMetrics, type ListenerName } from './listener-metrics.ts';
import { type Plane, PlaneServer, type TlsIdentity } from './plane-server.ts';
import { buildPlanes, closePlanes, type Planes, planeBehind } from './planes.ts';
import type { State } from './state.ts';

interface NamedServer {
  readonly name: ListenerName;
  readonly server: PlaneServer;
}

interface ServerOptions {
  readonly tls?: TlsIdentity | undefined;
  readonly onStandstill?: () => void;
}

/** Planes, and whether they have lost their stores: then whatever comes to them is the gate's. */
interface Generation {
  planes: Planes | undefined;
  isRetired: boolean;
}

/**
 * Connects the listeners with the planes behind them; while the stores pass from one process to another, with
 * a gate. Requests that run by then finish in the planes in which they began.
 */
export class Switchboard {
  readonly #config: Config;
  readonly #gate = new Gate();
  readonly #named: NamedServer[] = [];
  /** Takes what the process before this one passes on. */
  #forwarded: PlaneServer | undefined;
  /** At which listener of that process such a request came in. */
  readonly #cameInAt = new WeakMap<IncomingMessage, ListenerName>();
  #generation: Generation;

  private constructor(config: Config) {
    this.#config = config;
    this.#generation = { planes: undefined, isRetired: false };
  }

  static async build(config: Config, state: State): Promise<Switchboard> {
    const switchboard = new Switchboard(config);
    switchboard.#generation = await switchboard.#newGeneration(state);
    return switchboard;
  }

  /** Of this process's own listeners. */
  get servers(): readonly PlaneServer[] {
    return this.#named.map(({ server }) => server);
  }

  /** Undefined: the configuration switches its plane off. */
  add(name: ListenerName, options: ServerOptions): PlaneServer | undefined {
    const plane = this.#planeOf(name);
    if (plane === undefined) return undefined;
    const server = new PlaneServer(plane, this.#config, options);
    this.#named.push({ name, server });
    return server;
  }

  /** Of requests that carry this token and say where they came in. */
  addForwarded(token: string): PlaneServer {
    const routing = (request: IncomingMessage, response: ServerResponse): void => {
      const listener = receiveForwarded(request, token);
      if (listener === undefined) {
        refuse(response, new BrumeError('unauthorized'));
        return;
      }
      this.#cameInAt.set(request, listener);
      const held = { listener, request, response };
      if (this.#generation.isRetired) this.#gate.take(held);
      else this.#takeHere(held);
    };
    const { headersMaxBytes } = this.#config;
    // The header that says where it came in is beyond what its sender was allowed.
    const bounds = { ...this.#config, headersMaxBytes: headersMaxBytes + FORWARDED_HEADER_BYTES_MAX };
    const plane = { routing, server: this.#planes.data.server };
    // Node's client writes once more, nothing at all, when its request is sent: to who has answered and closed by
    // then that fails, and takes the answer with it.
    this.#forwarded = new PlaneServer(plane, bounds, { lingersAlways: true });
    return this.#forwarded;
  }

  addMetrics({ metrics }: State): void {
    addListenerMetrics(metrics.registry, this.#named);
  }

  /** From now on requests wait, also those whose bodies arrive from now on. */
  hold(): void {
    this.#gate.shut();
    this.#generation.isRetired = true;
    for (const { name, server } of this.#named) {
      const routing = (request: IncomingMessage, response: ServerResponse): void =>
        this.#gate.take({ listener: name, request, response });
      server.serveBy({ routing, server: this.#planes.data.server });
    }
  }

  /** Resolves with how many requests still run that don't wait, when none does or the time is over. */
  untilNoneRuns(withinMs: number): Promise<number> {
    const isWaiting = (request: IncomingMessage): boolean => this.#gate.isWaiting(request);
    return untilNoneRuns(this.#allServers(), { withinMs, isWaiting });
  }

  /** What waits, and whatever comes to this process from now on, is somebody else's to answer. */
  passOn(taker: Taker): void {
    this.#gate.openTo(taker);
  }

  /** What waits, and whatever comes from now on, is answered by new planes over this state. */
  async serveBy(state: State): Promise<void> {
    const retired = this.#planes;
    this.#generation = await this.#newGeneration(state);
    this.addMetrics(state);
    for (const { name, server } of this.#named) {
      const plane = this.#planeOf(name);
      if (plane !== undefined) server.serveBy(plane);
    }
    this.#gate.openTo((held) => this.#takeHere(held));
    await closePlanes(retired);
  }

  /** Ends the planes, and whatever connections are left. */
  async close(): Promise<void> {
    for (const server of this.#allServers()) server.closeAll();
    await closePlanes(this.#planes);
  }

  get #planes(): Planes {
    const { planes } = this.#generation;
    if (planes === undefined) throw new TypeError('the planes are not built yet');
    return planes;
  }

  #planeOf(name: ListenerName): FastifyInstance | undefined {
    return planeBehind(this.#planes, name);
  }

  #allServers(): PlaneServer[] {
    return [...this.servers, ...(this.#forwarded === undefined ? [] : [this.#forwarded])];
  }

  async #newGeneration(state: State): Promise<Generation> {
    const generation: Generation = { planes: undefined, isRetired: false };
    const isTakenOver = (request: IncomingMessage, body: Buffer): boolean =>
      generation.isRetired && this.#takeOver(request, body);
    generation.planes = await buildPlanes(this.#config, state, isTakenOver);
    return generation;
  }

  #takeHere({ listener, request, response, body }: HeldRequest): void {
    const plane: Plane | undefined = this.#planeOf(listener);
    if (plane === undefined) refuse(response, new BrumeError('store_unavailable'));
    else plane.routing(body === undefined ? request : replayedRequest(request, body), response);
  }

  /** Its body has arrived when the planes that waited for it had nothing left to answer it by. */
  #takeOver(request: IncomingMessage, body: Buffer): true {
    for (const server of this.#allServers()) {
      for (const response of server.unanswered()) {
        if (response.req !== request) continue;
        const listener =
          this.#named.find((named) => named.server === server)?.name ?? this.#cameInAt.get(request);
        if (listener !== undefined) this.#gate.take({ listener, request, response, body });
      }
    }
    return true;
  }
}

const FORWARDED_HEADER_BYTES_MAX = 512;
