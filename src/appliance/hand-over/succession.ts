import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { systemClock } from '../../limiter/clock.ts';
import { systemTimers } from '../../stores/cache/timers.ts';
import { BorrowedCounters } from '../../stores/embedded/borrowed-counters.ts';
import { BorrowedSql } from '../../stores/sql/borrowed-sql.ts';
import { CounterFile } from '../../stores/sql/counter-file.ts';
import { schemaState } from '../../stores/sql/migrate.ts';
import { isStateDirHeld, lockStateDir, type StateDirLock } from '../../stores/sql/state-dir-lock.ts';
import type { Logger } from '../../telemetry/log.ts';
import { BorrowedStores } from '../owned-stores.ts';
import { StartError } from '../start-error.ts';
import type { Notifier } from '../systemd/notifier.ts';
import { Channel } from './channel.ts';
import type { ForwardingPlace } from './forward.ts';
import { introduction } from './introduction.ts';
import { PROTOCOL } from './messages.ts';
import { handOverPath } from './private-socket.ts';

/** How long after the drain of the process before this one its stores may take to close. */
const CLOSING_MS = 15_000;
const LOOK_EVERY_MS = 50;
/** And how long the rest of the start may take after that; as TimeoutStartSec= of the unit. */
const STARTING_MS = 180_000;
/** How long an answer of the process before this one may take, which has to finish what runs and to sync. */
const GIVING_MS = 60_000;
const ANSWER_MS = 10_000;
const LOCK_MS = 5000;
const LOCK_EVERY_MS = 5;

export interface SuccessionParts {
  readonly log: Logger;
  readonly notifier: Pick<Notifier, 'status' | 'mayTake'>;
  /** Told to end meanwhile. */
  readonly stop: Promise<unknown>;
  /** The stores were taken back from this process, which must end at once, whatever it is doing. */
  readonly onWithdrawn: (error: StartError) => void;
}

/** How this process comes to the embedded stores that another one serves from. */
export class Succession {
  readonly #channel: Channel;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #onWithdrawn: (error: StartError) => void;
  readonly #released = Promise.withResolvers<void>();
  #generation = 0;
  #isTaking = false;
  #isStopping = false;

  private constructor(channel: Channel, config: Config, { log, stop, onWithdrawn }: SuccessionParts) {
    this.#channel = channel;
    this.#config = config;
    this.#log = log;
    this.#onWithdrawn = onWithdrawn;
    void stop.then(() => {
      this.#isStopping = true;
      // Later it would be taken for dead, and what it was given for nobody's.
      if (!this.#isTaking) channel.end();
    });
  }

  /**
   * To be called when all has been found in order that can be, without the stores. Finds the process that
   * serves and reads what can be read beside it. `none`: there is none, any more or at all, so that the stores
   * can be opened; `stopped`: this process was told to end.
   *
   * A process that offers no hand-over is waited for, for as long as it may take to drain.
   *
   * @throws StartError if it refuses.
   */
  static async begin(config: Config, parts: SuccessionParts): Promise<Succession | 'none' | 'stopped'> {
    const { databaseUrl, redisUrl, stateDir, drainMs } = config;
    const { log, notifier } = parts;
    if (databaseUrl !== null && redisUrl !== null) return 'none';
    if (!isStateDirHeld(stateDir)) return 'none';
    notifier.status(`standby: another process has ${stateDir}`);
    log.info({ stateDir }, 'standing by: another Brume has the state directory');
    const withinMs = drainMs + CLOSING_MS;
    notifier.mayTake(withinMs + STARTING_MS);
    let isStopping = false;
    void parts.stop.then(() => {
      isStopping = true;
    });
    let isHandOverOffered = true;
    for (
      const endMs = performance.now() + withinMs;
      performance.now() < endMs && isStateDirHeld(stateDir);
      await delay(LOOK_EVERY_MS)
    ) {
      if (isStopping) return 'stopped';
      const channel = isHandOverOffered ? await channelTo(handOverPath(stateDir)) : undefined;
      if (channel === undefined) continue;
      const offered = await Succession.#introduce(channel, parts);
      if (offered === 'stand_down') isHandOverOffered = false;
      if (offered !== 'offered') continue;
      return new Succession(channel, config, parts);
    }
    return isStopping ? 'stopped' : 'none';
  }

  static async #introduce(
    channel: Channel,
    { log }: SuccessionParts,
  ): Promise<'offered' | 'stand_down' | 'gone'> {
    channel.send({ kind: 'hello', ...introduction() });
    const answer = await channel.next(ANSWER_MS);
    if (answer === undefined) return 'gone';
    if (answer !== 'late' && answer.kind === 'refused') {
      channel.end();
      throw new StartError(`the process that serves hands nothing over: ${answer.reason}`);
    }
    if (answer === 'late' || answer.kind !== 'welcome') {
      channel.end();
      throw new StartError(
        'the process that serves gives no answer to whom it would hand over: is it frozen?',
      );
    }
    const { pid, version, protocol } = answer;
    if (protocol === PROTOCOL) {
      log.info({ pid, version }, 'the process that serves hands over');
      return 'offered';
    }
    log.info(
      { pid, version, protocol },
      'the process that serves hands over in another way: it is asked to end',
    );
    channel.send({ kind: 'stand_down' });
    channel.end();
    return 'stand_down';
  }

  /**
   * The stores as the other process has them, read as far as can be, so that taking them is a matter of moments.
   * Undefined where they can only be opened once they are this process's: PostgreSQL has the configuration, or
   * the schema is to be changed.
   *
   * @throws SchemaError or StateDirError if this executable can't use them.
   */
  async borrow(): Promise<BorrowedStores | undefined> {
    const { stateDir, databaseUrl, redisUrl, sqlTimeoutMs: timeoutMs } = this.#config;
    if (databaseUrl !== null) return undefined;
    const startedMs = performance.now();
    const sql = await BorrowedSql.open({ stateDir, timeoutMs });
    try {
      const counters = redisUrl === null ? await this.#borrowCounters() : undefined;
      const isCountingHere = redisUrl === null;
      if ((await schemaState(sql)).pending.length === 0 && (counters !== undefined || !isCountingHere)) {
        const tookMs = Math.round(performance.now() - startedMs);
        this.#log.info(
          { identifiers: counters?.counters.size ?? 0, tookMs },
          'the stores were read beforehand',
        );
        return new BorrowedStores(sql, counters);
      }
      await counters?.counters.close();
      await sql.close();
      return undefined;
    } catch (error) {
      await sql.close();
      throw error;
    }
  }

  /** Undefined also where the file is damaged: what becomes of that is decided by whoever owns it. */
  async #borrowCounters(): Promise<BorrowedCounters | undefined> {
    const { stateDir, embeddedIdentifiersMax: identifiersMax } = this.#config;
    const options = { stateDir, identifiersMax, clock: systemClock, timers: systemTimers, log: this.#log };
    try {
      return await BorrowedCounters.read(options);
    } catch (error) {
      if (!CounterFile.isDamaged(error)) throw error;
      return undefined;
    }
  }

  /** From 1: how often the stores have been handed over. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Has the stores given: from here until it serves, nobody does. Undefined: this process was told to end
   * before it had them.
   *
   * @throws StartError if they stay where they are.
   */
  async take({ withinMs }: { readonly withinMs: number }): Promise<StateDirLock | undefined> {
    if (this.#isStopping) return undefined;
    this.#isTaking = true;
    this.#channel.send({ kind: 'take', withinMs });
    const answer = await this.#channel.next(GIVING_MS);
    if (answer === 'late') throw this.#failed('it did not close them in time');
    // Undefined: it is ending, or has ended, and the stores are free when it has.
    if (answer !== undefined) {
      if (answer.kind === 'kept') throw this.#failed(answer.reason);
      if (answer.kind !== 'yours') throw this.#failed(`it said "${answer.kind}"`);
      this.#generation = answer.generation;
    }
    void this.#hear();
    const { drainMs } = this.#config;
    return this.#lock(answer === undefined ? drainMs + CLOSING_MS : LOCK_MS);
  }

  /** Resolves when this process may serve from the stores, which it has opened. */
  async opened({ path, token }: ForwardingPlace): Promise<void> {
    this.#channel.send({ kind: 'opened', generation: this.#generation, path, token });
    await this.#released.promise;
  }

  /** Connections are accepted: what comes to the process before this one is passed on from now on. */
  serving(): void {
    this.#channel.send({ kind: 'serving' });
  }

  /** Lets go of the process that serves; before the stores were taken it goes on as if nothing had been. */
  abandon(): void {
    this.#channel.end();
  }

  /** Resolves when the process before this one has ended, which may pass requests on until then. */
  async untilGone(withinMs: number): Promise<void> {
    await this.#channel.next(withinMs);
    this.#channel.end();
  }

  /** Undefined: told to end. Rejects with StateDirError if it stays held. */
  async #lock(withinMs: number): Promise<StateDirLock | undefined> {
    for (const endMs = performance.now() + withinMs; ; await delay(LOCK_EVERY_MS)) {
      try {
        return lockStateDir(this.#config.stateDir);
      } catch (error) {
        if (performance.now() >= endMs || !isStateDirHeld(this.#config.stateDir)) throw error;
        if (this.#isStopping && this.#generation === 0) return undefined;
      }
    }
  }

  async #hear(): Promise<void> {
    const message = await this.#channel.next();
    if (typeof message === 'object' && message.kind !== 'released') {
      const reason = 'reason' in message ? message.reason : `it said "${message.kind}"`;
      this.#onWithdrawn(this.#failed(`it has taken them back: ${reason}`));
    } else this.#released.resolve();
  }

  #failed(reason: string): StartError {
    return new StartError(`the process that serves keeps the stores: ${reason}`);
  }
}

/** Undefined: nobody listens there. */
function channelTo(path: string): Promise<Channel | undefined> {
  return new Promise((resolve) => {
    const socket: Socket = connect(path);
    socket.once('connect', () => resolve(new Channel(socket)));
    socket.once('error', () => resolve(undefined));
  });
}
