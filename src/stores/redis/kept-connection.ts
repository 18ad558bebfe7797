import type { Redis } from 'ioredis';
import type { Clock } from '../../limiter/clock.ts';
import { connectFault } from './advice/connect-fault.ts';
import { firstWords } from './advice/first-words.ts';
import { stepOfRow } from './advice/next-step.ts';
import { RedisFault } from './advice/redis-fault.ts';
import { closeClient, openClient } from './connection.ts';
import { placeText, type RedisLogin, type ServerPlace } from './redis-address.ts';
import { identityOf } from './server-identity.ts';
import type { Whereabouts } from './whereabouts.ts';

export interface KeptConnectionOptions {
  readonly whereabouts: Whereabouts;
  readonly login: RedisLogin;
  /** The number of the database. */
  readonly database: number;
  readonly clock: Clock;
  /** A replica is as good; false if absent. */
  readonly mayBeReplica?: boolean;
  /**
   * Asked of each server before it is greeted: resolves with what it refuses to count by, if it does. Rejects
   * if it can't be used now. Until then it may tell why it can't say yet. Absent: any master can be.
   */
  readonly prove?: (client: Redis, tell: (why: Error) => void) => Promise<Error | undefined>;
  /** A master that may be called. */
  readonly onGreeted: (greeting: Greeting) => void;
  /** What was greeted last may no longer be called. */
  readonly onLost: () => void;
  /** A connection was not made, or ended. Its place is undefined where nobody knows whereto. */
  readonly onFault: (error: Error, place: string | undefined) => void;
}

export interface Greeting {
  readonly client: Redis;
  readonly place: string;
  /** The run_id of the server's process; undefined where it may not be asked. */
  readonly process: string | undefined;
  /** What it answers to whatever would count; undefined: it counts, or was not asked. */
  readonly refusal: Error | undefined;
  /** The server's time, in the reply to what was sent at `sentMonotonicMs`. */
  readonly nowMs: number;
  readonly sentMonotonicMs: number;
}

const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1000;
/** A replica, or a server that reads its file, is asked again after so long. */
const NOT_USABLE_MS = 250;
/** So long a new connection has, with its TLS, until the server has said who it is and was proven. */
const GREETING_TIMEOUT_MS = 1500;
/** So ends what was cut off before it could be read why. */
const CUT_OFF = /ECONNRESET|EPIPE|closed the connection/;

/**
 * One usable connection to the master, wherever that is, for ever: made anew when it ends, when another
 * server becomes the master, and when whoever uses it gives it up. Each is a client of its own, which ends
 * with it, so that nothing of an old one can come back to life.
 */
export class KeptConnection {
  readonly #options: KeptConnectionOptions;
  #client: Redis | undefined;
  #isGreeted = false;
  /** Where it was greeted last. */
  #knownPlace: string | undefined;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: KeptConnectionOptions) {
    this.#options = options;
    options.whereabouts.onChange(() => this.reconnect());
    this.#connect();
  }

  /** A connection is being made, and not greeted yet. */
  get isTrying(): boolean {
    return this.#client !== undefined && !this.#isGreeted;
  }

  /** What is under way on the present connection is given up with it, at once. */
  reconnect(): void {
    this.#drop();
    this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
    this.#options.whereabouts.close();
  }

  #connect(): void {
    if (this.#isClosed) return;
    const { whereabouts, login, onFault } = this.#options;
    const place = whereabouts.current();
    if (place === undefined) {
      this.#timer = setTimeout(() => {
        const why = whereabouts.whyUnknown();
        onFault(new RedisFault(why, stepOfRow(why)), undefined);
        this.#connect();
      }, RECONNECT_MS_MAX);
      this.#timer.unref();
      return;
    }
    const client = openClient(place, login);
    this.#client = client;
    let why = new Error(`it gave no answer in ${GREETING_TIMEOUT_MS} ms`);
    this.#timer = setTimeout(() => this.#fail(client, place, why), GREETING_TIMEOUT_MS);
    this.#timer.unref();
    let fault = new Error('it closed the connection');
    client.on('error', (error: Error) => {
      fault = error;
    });
    client.once('end', () => void this.#failWithReason(client, place, fault));
    client.once('ready', () => {
      const tell = (told: Error) => {
        why = told;
      };
      this.#greet(client, place, tell).catch((error: Error) => this.#fail(client, place, error));
    });
  }

  async #greet(client: Redis, place: ServerPlace, tell: (why: Error) => void): Promise<void> {
    const { database, clock, mayBeReplica = false, prove } = this.#options;
    // ioredis only asks for a database other than 0, and goes on where it can't be had.
    if (database !== 0) await client.select(database);
    const { process, role, isLoading } = await identityOf(client);
    if (role === 'sentinel') throw new NotUsable('it is a Sentinel, not a server');
    if (role !== undefined && role !== 'master' && !mayBeReplica)
      throw new NotUsable(`it is a ${role}, not the master`);
    if (isLoading) throw new NotUsable('it is reading its file');
    const refusal = await prove?.(client, tell);
    const sentMonotonicMs = clock.monotonicMs();
    const [seconds, microseconds] = await client.time();
    if (client !== this.#client) return;
    clearTimeout(this.#timer);
    this.#isGreeted = true;
    this.#failures = 0;
    this.#knownPlace = placeText(place);
    const nowMs = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
    const server = { client, place: placeText(place), process };
    this.#options.onGreeted({ ...server, refusal, nowMs, sentMonotonicMs });
  }

  /** Where the server may have said why it ended the connection, it is asked once more. */
  async #failWithReason(client: Redis, place: ServerPlace, fault: Error): Promise<void> {
    const mayHaveSaid = this.#options.login.tls === undefined && CUT_OFF.test(fault.message);
    if (client !== this.#client || this.#isGreeted || !mayHaveSaid) this.#fail(client, place, fault);
    else {
      const words = await firstWords(place);
      this.#fail(client, place, words === undefined ? fault : new Error(words));
    }
  }

  /** Of the present client only: what an earlier one still tells is old news. */
  #fail(client: Redis, place: ServerPlace, error: Error): void {
    if (client !== this.#client) return;
    const { login, onFault, whereabouts } = this.#options;
    const where = placeText(place);
    const isKnown = where === this.#knownPlace;
    const fault = this.#isGreeted ? error : connectFault(error, { to: 'server', login, isKnown });
    this.#drop();
    onFault(fault, where);
    whereabouts.doubt();
    this.#failures++;
    const pauseMs =
      error instanceof NotUsable
        ? NOT_USABLE_MS
        : Math.min(RECONNECT_MS_MIN * this.#failures, RECONNECT_MS_MAX);
    // The doubt may have led to another place by now.
    if (this.#client !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => this.#connect(), pauseMs);
    this.#timer.unref();
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) closeClient(client);
    if (!this.#isGreeted) return;
    this.#isGreeted = false;
    this.#options.onLost();
  }
}

/** It answers, and is not one to count in now. */
class NotUsable extends Error {
  override readonly name = 'NotUsable';
}
