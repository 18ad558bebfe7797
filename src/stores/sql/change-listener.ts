import { randomBytes } from 'node:crypto';
import type { Clock } from '../../limiter/clock.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';
import { backOffMs } from './back-off.ts';
import { CHANGES_CHANNEL, notify, revisionOf } from './change-notice.ts';
import { ListenerLog } from './listener-log.ts';
import { ListeningConnection } from './listening-connection.ts';
import type { Sql } from './sql.ts';

export interface ChangeListenerOptions {
  /** Where to listen: the server itself, or a pooler that gives each client a session of its own. */
  readonly databaseUrl: string;
  /** Where changes are written; through it is tried whether notices arrive. */
  readonly sql: Pick<Sql, 'transaction'>;
  /** For connecting, for an answer, and for the notice that proves that notices arrive. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly log: StoreLog;
  /** A change was committed. */
  readonly onChange: (revision: number) => void;
  /** From now on changes are heard of; those before may not have been. */
  readonly onListening: () => void;
  /** How often the connection is asked whether it still lives. */
  readonly keepAliveMs?: number;
  /** From 0 to below 1; spreads the attempts of many nodes. */
  readonly random?: () => number;
}

export interface ChangeListenerStats {
  readonly isListening: boolean;
  /** Notices of changes, also of this node's own. */
  readonly notices: number;
  /** How often it began to listen, the first time included. */
  readonly connections: number;
}

const KEEP_ALIVE_MS = 5000;
/** What lived so long was sound: after it the first attempt comes at once. */
const STEADY_MS = 1000;
/** Where connections can be made but don't last, news still has to arrive: the pauses grow no further. */
const SHORT_LIVED_ATTEMPT_MAX = 2;
/** Where notices don't arrive it is tried again so seldom: the pooler's settings would have to change. */
const UNHEARD_PAUSE_MS = 60_000;

interface EndOfListening {
  readonly hasListened: boolean;
  /** Notices don't arrive, although everything answers. */
  readonly isUnheard?: true;
  readonly reason?: Error | undefined;
}

/**
 * Listens for changes on a connection of its own, and connects again whenever that breaks. It only
 * makes news faster: a notice is lost with its connection, so whoever uses it polls as well.
 */
export class ChangeListener {
  readonly #options: ChangeListenerOptions;
  readonly #log: ListenerLog;
  readonly #proofChannel = `brume_proof_${randomBytes(8).toString('hex')}`;
  #connection: ListeningConnection | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #isListening = false;
  #notices = 0;
  #connections = 0;
  #onProof: () => void = () => undefined;
  #endPause: () => void = () => undefined;

  constructor(options: ChangeListenerOptions) {
    this.#options = options;
    this.#log = new ListenerLog(options.log, options.clock, options.timers);
  }

  stats(): ChangeListenerStats {
    return { isListening: this.#isListening, notices: this.#notices, connections: this.#connections };
  }

  /** Returns at once: nobody waits for a listener. */
  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#connection?.close();
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random = Math.random } = this.#options;
    let attempt = 0;
    while (!this.#isStopped) {
      const beganMs = clock.monotonicMs();
      const end = await this.#listenOnce();
      if (this.#isStopped) return;
      if (end.isUnheard) {
        this.#log.unheard();
        await this.#pause(UNHEARD_PAUSE_MS);
      } else {
        this.#log.lost(end.reason);
        const isSteady = end.hasListened && clock.monotonicMs() - beganMs > STEADY_MS;
        attempt = isSteady ? 0 : attempt + 1;
        if (end.hasListened) attempt = Math.min(attempt, SHORT_LIVED_ATTEMPT_MAX);
        await this.#pause(backOffMs(attempt, random()));
      }
    }
  }

  /** Resolves when it listens no more. */
  async #listenOnce(): Promise<EndOfListening> {
    const { databaseUrl, timeoutMs } = this.#options;
    let hasListened = false;
    try {
      const connection = new ListeningConnection({
        databaseUrl,
        timeoutMs,
        onNotice: (channel, text) => this.#hear(channel, text),
      });
      this.#connection = connection;
      await connection.connect();
      if (!(await this.#isHeard(connection))) return { isUnheard: true, hasListened };
      await connection.listen(CHANGES_CHANNEL);
      hasListened = true;
      this.#isListening = true;
      this.#connections += 1;
      this.#log.listening();
      this.#options.onListening();
      await this.#keepAlive(connection);
      return { reason: await connection.ended, hasListened };
    } catch (error) {
      return { reason: error instanceof Error ? error : new Error(String(error)), hasListened };
    } finally {
      this.#isListening = false;
      this.#connection?.close();
      this.#connection = undefined;
    }
  }

  /**
   * Whether a notice that another connection gives arrives here: behind a pooler in transaction
   * mode it doesn't, and there is no error either.
   */
  async #isHeard(connection: ListeningConnection): Promise<boolean> {
    const { sql, timers, timeoutMs } = this.#options;
    await connection.listen(this.#proofChannel);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#onProof = () => resolve(true);
    await sql.transaction((transaction) => notify(transaction, this.#proofChannel, ''));
    const cancel = timers.after(timeoutMs, () => resolve(false));
    const end = connection.ended.then((reason) => {
      throw reason ?? new Error('the connection ended');
    });
    return Promise.race([promise, end]).finally(cancel);
  }

  /** Resolves when the connection has ended; rejects if it does not answer any more. */
  async #keepAlive(connection: ListeningConnection): Promise<void> {
    let hasEnded = false;
    void connection.ended.then(() => {
      hasEnded = true;
      if (this.#connection === connection) this.#endPause();
    });
    for (;;) {
      await this.#pause(this.#options.keepAliveMs ?? KEEP_ALIVE_MS);
      if (hasEnded || this.#isStopped) return;
      await connection.ask();
    }
  }

  #hear(channel: string, text: string | undefined): void {
    if (channel === this.#proofChannel) this.#onProof();
    const revision = channel === CHANGES_CHANNEL ? revisionOf(text) : undefined;
    if (revision === undefined) return;
    this.#notices += 1;
    this.#options.onChange(revision);
  }

  #pause(ms: number): Promise<void> {
    if (ms === 0 || this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
