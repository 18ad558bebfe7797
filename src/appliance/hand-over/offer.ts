import { createServer, type Server, type Socket } from 'node:net';
import { messageOf } from '../../errors/message-of.ts';
import type { Logger } from '../../telemetry/log.ts';
import { Channel } from './channel.ts';
import type { ForwardingPlace } from './forward.ts';
import { introduction } from './introduction.ts';
import { type Introduction, PROTOCOL } from './messages.ts';
import { bindPrivately, handOverPath } from './private-socket.ts';

/** What a process does that serves, as the hand-over goes on. */
export interface Giver {
  /** Why the stores can't be given now; undefined: they can. */
  refusal(): string | undefined;
  /** Holds requests up, and closes the stores; resolves with why they must be taken back, if they must. */
  freeze(): Promise<string | undefined>;
  /** Has the stores again, from whoever `holder` is, and serves on. */
  takeBack(holder: Holder): Promise<void>;
  /** Requests are the next process's from now on. */
  passOn(place: ForwardingPlace): void;
}

/** The process that was given the stores. */
export interface Holder {
  readonly pid: number;
  /** It still runs, and is a process of this number here. */
  readonly isReachable: () => boolean;
}

export type Ending =
  /** The next process serves. */
  | 'handed_over'
  /** It asks this one to end, as it would with TERM. */
  | 'stand_down'
  /** It doesn't serve, and this one could not have the stores back. */
  | 'lost';

export interface OfferOptions {
  readonly stateDir: string;
  /** How often the stores have been handed over, up to this process. */
  readonly generation: number;
  readonly giver: Giver;
  readonly log: Logger;
}

/** How long calls wait for it at most, whatever the next process says that it takes. */
const TAKE_OVER_MS_MAX = 30_000;
/** And how soon after that it must accept connections. */
const SERVING_MS = 1000;
const HELLO_MS = 5000;
/** What a process that has the embedded stores offers to the one that comes after it. */
export class HandOverOffer {
  readonly #options: OfferOptions;
  readonly #ending = Promise.withResolvers<Ending>();
  #server: Server | undefined;
  #candidate: Channel | undefined;
  #current: Promise<void> | undefined;
  #isGiving = false;
  #isClosed = false;

  constructor(options: OfferOptions) {
    this.#options = options;
  }

  /** Resolves when this process has nothing to do any more but to drain. */
  get ending(): Promise<Ending> {
    return this.#ending.promise;
  }

  /** While this process has the lock of the directory. Without it, the next process waits until this one ends. */
  async open(): Promise<void> {
    const { stateDir, log } = this.#options;
    const server = createServer((socket) => void this.#meet(socket));
    try {
      await bindPrivately(server, handOverPath(stateDir));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the next process can not have the stores handed over');
      return;
    }
    server.on('error', (error) => log.error({ err: error }, 'the next process can not be heard'));
    this.#server = server;
  }

  /** No other hand-over begins; resolves when one in which the stores are given has ended one way or another. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    if (!this.#isGiving) this.#candidate?.end();
    else await this.#current;
  }

  #stopListening(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  async #meet(socket: Socket): Promise<void> {
    const channel = new Channel(socket);
    const hello = await channel.next(HELLO_MS);
    if (hello === undefined || hello === 'late' || hello.kind !== 'hello') return channel.end();
    if (this.#candidate !== undefined || this.#isClosed) {
      channel.send({ kind: 'refused', reason: 'it is handing over to another process, or ending' });
      return channel.end();
    }
    this.#candidate = channel;
    this.#current = this.#serve(channel, hello).catch((error: unknown) => {
      this.#options.log.fatal({ err: error }, 'neither this process nor the next one has the stores');
      this.#ending.resolve('lost');
    });
    await this.#current;
    this.#candidate = undefined;
  }

  async #serve(channel: Channel, hello: Introduction): Promise<void> {
    const { generation, log } = this.#options;
    channel.send({ kind: 'welcome', ...introduction(), generation });
    const asked = await channel.next();
    if (asked === undefined || asked === 'late') return;
    const { pid, version } = hello;
    if (asked.kind === 'stand_down') {
      log.info({ pid, version }, 'the next process knows no hand-over from this version: ending, as on TERM');
      this.#ending.resolve('stand_down');
    } else if (asked.kind === 'take' && hello.protocol === PROTOCOL) {
      this.#isGiving = true;
      await this.#give(channel, hello, asked.withinMs);
      this.#isGiving = false;
    } else channel.end();
  }

  async #give(
    channel: Channel,
    { pid, version, pidNamespace }: Introduction,
    withinMs: number,
  ): Promise<void> {
    const { giver, log } = this.#options;
    const refusal = giver.refusal();
    if (refusal !== undefined) {
      channel.send({ kind: 'kept', reason: refusal });
      return channel.end();
    }
    log.info({ pid, version }, 'handing over to the next process: calls wait until it has the stores');
    // The next process is to listen at the same path.
    this.#stopListening();
    const startedMs = performance.now();
    const fault = await giver.freeze();
    if (fault !== undefined) channel.send({ kind: 'kept', reason: fault });
    else if (await this.#isTaken(channel, Math.min(withinMs, TAKE_OVER_MS_MAX))) {
      log.info({ pid, frozenMs: Math.round(performance.now() - startedMs) }, 'handed over');
      // It ends when this process does: by that the next one knows that nothing more is passed on.
      channel.endWithProcess();
      this.#candidate = undefined;
      return this.#ending.resolve('handed_over');
    }
    const isReachable = () => !channel.isClosed && pidNamespace === introduction().pidNamespace;
    await giver.takeBack({ pid, isReachable });
    log.warn(
      {
        pid,
        frozenMs: Math.round(performance.now() - startedMs),
        ...(fault !== undefined && { reason: fault }),
      },
      'the hand-over failed: this process serves on',
    );
    channel.end();
    if (!this.#isClosed) await this.open();
  }

  /** Gives the stores away, once; whether the next process serves from them in time. */
  async #isTaken(channel: Channel, takeOverMs: number): Promise<boolean> {
    const { generation: before, giver } = this.#options;
    const generation = before + 1;
    channel.send({ kind: 'yours', generation });
    const opened = await channel.next(takeOverMs);
    if (typeof opened === 'object' && opened.kind === 'opened' && opened.generation === generation) {
      channel.send({ kind: 'released' });
      const serving = await channel.next(SERVING_MS);
      if (typeof serving === 'object' && serving.kind === 'serving') {
        giver.passOn(opened);
        return true;
      }
    }
    channel.send({ kind: 'withdrawn', reason: `it did not serve within ${takeOverMs} ms` });
    return false;
  }
}
