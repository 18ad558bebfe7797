import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
import {
  buildManagingPlanes,
  buildPlanes,
  closePlanes,
  type IsTakenOver,
  type Planes,
  planeBehind,
} from './planes.ts';
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
  readonly state: State;
  readonly planes: Planes;
  readonly isTakenOver: IsTakenOver;
  isRetired: boolean;
}

/**
 * Connects the listeners with the planes behind them; while the stores pass from one process to another, or a
 * plane is being built, with a gate. Requests that run by then finish in the planes in which they began.
 */
export class Switchboard {
  readonly #config: Config;
  readonly #gate = new Gate();
  /** Where the admin and the management plane are not built yet. */
  readonly #building = new Gate();
  readonly #named: NamedServer[] = [];
  /** Takes what the process before this one passes on. */
  #forwarded: PlaneServer | undefined;
  /** At which listener of that process such a request came in. */
  readonly #cameInAt = new WeakMap<IncomingMessage, ListenerName>();
  #builtGeneration: Generation | undefined;

  private constructor(config: Config) {
    this.#config = config;
  }

  /** With the data plane; what comes for the others waits until `complete`. */
  static async build(config: Config, state: State): Promise<Switchboard> {
    const switchboard = new Switchboard(config);
    switchboard.#builtGeneration = await switchboard.#newGeneration(state);
    return switchboard;
  }

  /** Builds the planes that `build` has not. */
  async complete(): Promise<void> {
    const { state, planes, isTakenOver } = this.#generation;
    if (planes.managing !== undefined) return;
    planes.managing = await buildManagingPlanes(this.#config, state, isTakenOver);
    this.#connect();
    this.#building.openTo((held) => this.#takeHere(held));
  }

  /** Of this process's own listeners. */
  get servers(): readonly PlaneServer[] {
    return this.#named.map(({ server }) => server);
  }

  /** Undefined: the configuration switches its plane off. */
  add(name: ListenerName, options: ServerOptions): PlaneServer | undefined {
    if (name === 'management' && this.#config.managementListen === null) return undefined;
    const plane = this.#planeOf(name) ?? this.#waiting(name, this.#building);
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
    for (const { name, server } of this.#named) server.serveBy(this.#waiting(name, this.#gate));
  }

  /** Resolves with how many requests still run that don't wait, when none does or the time is over. */
  untilNoneRuns(withinMs: number): Promise<number> {
    const isWaiting = (request: IncomingMessage): boolean =>
      this.#gate.isWaiting(request) || this.#building.isWaiting(request);
    return untilNoneRuns(this.#allServers(), { withinMs, isWaiting });
  }

  /** Resolves when what waited in the sockets is answered, or the time is over. */
  async untilFirstAnswered(withinMs: number): Promise<void> {
    // Connections are taken in one turn of the event loop, and read in the next.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    await this.untilNoneRuns(withinMs);
  }

  /** What waits, and whatever comes to this process from now on, is somebody else's to answer. */
  passOn(taker: Taker): void {
    this.#gate.openTo(taker);
  }

  /** What waits, and whatever comes from now on, is answered by new planes over this state. */
  async serveBy(state: State): Promise<void> {
    const retired = this.#planes;
    this.#builtGeneration = await this.#newGeneration(state);
    this.#building.shut();
    this.addMetrics(state);
    this.#connect();
    this.#gate.openTo((held) => this.#takeHere(held));
    await this.complete();
    await closePlanes(retired);
  }

  /** Ends the planes, and whatever connections are left. */
  async close(): Promise<void> {
    for (const server of this.#allServers()) server.closeAll();
    await closePlanes(this.#planes);
  }

  get #generation(): Generation {
    if (this.#builtGeneration === undefined) throw new TypeError('the planes are not built yet');
    return this.#builtGeneration;
  }

  get #planes(): Planes {
    return this.#generation.planes;
  }

  #planeOf(name: ListenerName): FastifyInstance | undefined {
    return planeBehind(this.#planes, name);
  }

  #allServers(): PlaneServer[] {
    return [...this.servers, ...(this.#forwarded === undefined ? [] : [this.#forwarded])];
  }

  async #newGeneration(state: State): Promise<Generation> {
    const life = { isRetired: false };
    const isTakenOver: IsTakenOver = (request, body) => life.isRetired && this.#takeOver(request, body);
    return Object.assign(life, {
      state,
      isTakenOver,
      planes: await buildPlanes(this.#config, state, isTakenOver),
    });
  }

  #connect(): void {
    for (const { name, server } of this.#named)
      server.serveBy(this.#planeOf(name) ?? this.#waiting(name, this.#building));
  }

  #waiting(listener: ListenerName, gate: Gate): Plane {
    return {
      routing: (request, response) => gate.take({ listener, request, response }),
      server: this.#planes.data.server,
    };
  }

  #takeHere(held: HeldRequest): void {
    const { listener, request, response, body } = held;
    const plane: Plane | undefined = this.#planeOf(listener);
    if (plane !== undefined)
      plane.routing(body === undefined ? request : replayedRequest(request, body), response);
    else if (this.#planes.managing === undefined) this.#building.take(held);
    else refuse(response, new BrumeError('store_unavailable'));
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
