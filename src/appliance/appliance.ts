import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { BrumeError } from '../errors/catalogue.ts';
import type { Logger } from '../telemetry/log.ts';
import { drain } from './drain.ts';
import { type ForwardingPlace, forwarding } from './hand-over/forward.ts';
import type { Giver, Holder } from './hand-over/offer.ts';
import { bindPrivately, forwardingPath } from './hand-over/private-socket.ts';
import type { Succession } from './hand-over/succession.ts';
import { takeBack } from './hand-over/take-back.ts';
import { refuse } from './host-header.ts';
import { type ListenerOptions, type Listeners, listen } from './listeners.ts';
import type { OwnedStores } from './owned-stores.ts';
import type { StartError } from './start-error.ts';
import { buildState, type State } from './state.ts';
import { Switchboard } from './switchboard.ts';

/** So long is waited for what runs before the stores are closed under it. */
const FINISHING_MS = 1000;
/** So soon a process serves from stores that it had read beforehand, or the one before it has them back. */
const TAKE_OVER_MS = 2000;
/** And from others, whose schema it may have to change. */
const OPENING_MS = 30_000;
/** So long those that waited for a process to serve are answered before it does anything else. */
const FIRST_ANSWERS_MS = 100;
const TOKEN_BYTES = 32;

export interface ApplianceParts extends Pick<ListenerOptions, 'managementTls' | 'handed'> {
  readonly log: Logger;
  /** By which the stores come from another process; undefined: they are nobody's. */
  readonly succession?: Succession | undefined;
  /** Told of the state in the beginning, and of each that takes its place. */
  readonly onState: (state: State) => void;
}

/** The stores, what stands on them, and the listeners in front. The stores may be given to another process. */
export class Appliance implements Giver {
  readonly #config: Config;
  readonly #parts: ApplianceParts;
  readonly #listeners: Listeners;
  readonly #unusable = Promise.withResolvers<StartError>();
  #state: State;

  private constructor(config: Config, parts: ApplianceParts, state: State, listeners: Listeners) {
    this.#config = config;
    this.#parts = parts;
    this.#listeners = listeners;
    this.#state = state;
    this.#adopt(state);
  }

  /**
   * Opens the stores and what stands on them, then the listeners. Undefined: it was told to end before it had
   * the stores. What could be opened is closed when it rejects.
   */
  static async start(config: Config, parts: ApplianceParts): Promise<Appliance | undefined> {
    const { log, succession } = parts;
    if (succession === undefined) return Appliance.#open(config, parts, await buildState(config, log));
    const borrowed = await succession.borrow();
    if (borrowed !== undefined) {
      const state = await buildState(config, log, { borrowed });
      return Appliance.#open(config, parts, state, async (switchboard) => {
        // All that takes time is done before: requests wait from here on.
        await switchboard.complete();
        const lock = await succession.take({ withinMs: TAKE_OVER_MS });
        if (lock === undefined) return false;
        await state.own(lock);
        return true;
      });
    }
    const lock = await succession.take({ withinMs: OPENING_MS });
    if (lock === undefined) return undefined;
    return Appliance.#open(config, parts, await buildState(config, log, { owned: { lock } }));
  }

  /** `own` makes the stores this process's; false: they are not to be. */
  static async #open(
    config: Config,
    parts: ApplianceParts,
    state: State,
    own: (switchboard: Switchboard) => Promise<boolean> = async () => true,
  ): Promise<Appliance | undefined> {
    const { succession, managementTls, handed } = parts;
    const switchboard = await Switchboard.build(config, state);
    try {
      await state.countersTried;
      if (!(await own(switchboard))) {
        await switchboard.close();
        await state.close();
        return undefined;
      }
      if (succession !== undefined) await awaitTurn(config, switchboard, succession);
      const listeners = await listen(config, state, { switchboard, managementTls, handed });
      state.readiness.startServing();
      // After a crash, the sooner checks are answered the better. Those that waited come first, as building has the
      // process for itself for a while.
      await switchboard.untilFirstAnswered(FIRST_ANSWERS_MS);
      await switchboard.complete();
      succession?.serving();
      return new Appliance(config, parts, state, listeners);
    } catch (error) {
      await switchboard.close();
      await state.close();
      throw error;
    }
  }

  /** Resolves if a store turns out to be nothing that this process can go on with. */
  get unusable(): Promise<StartError> {
    return this.#unusable.promise;
  }

  refusal(): string | undefined {
    return this.#state.isSaved() ? undefined : 'what it holds can not be written to its disk';
  }

  async freeze(): Promise<string | undefined> {
    const { switchboard } = this.#listeners;
    switchboard.hold();
    const running = await switchboard.untilNoneRuns(FINISHING_MS);
    if (running > 0) {
      this.#parts.log.warn({ running }, 'requests run on without the stores, which are handed over');
    }
    await this.#state.close();
    return this.#state.isSaved() ? undefined : 'not all that it holds could be written to its disk';
  }

  async takeBack(holder: Holder): Promise<void> {
    try {
      await this.#openAgain(holder);
    } catch (error) {
      this.#listeners.switchboard.passOn(({ response }) =>
        refuse(response, new BrumeError('store_unavailable')),
      );
      throw error;
    }
  }

  async #openAgain(holder: Holder): Promise<void> {
    const closed = this.#state;
    const lock = await takeBack(this.#config.stateDir, holder);
    const owned: OwnedStores = { lock, counters: closed.keptCounters() };
    this.#state = await buildState(this.#config, this.#parts.log, { owned });
    this.#adopt(this.#state);
    this.#state.readiness.startServing();
    await this.#state.countersTried;
    await this.#listeners.switchboard.serveBy(this.#state);
    void closed.tracing?.close(this.#config.drainMs);
  }

  passOn(place: ForwardingPlace): void {
    const { log, clock } = this.#state;
    this.#listeners.switchboard.passOn(forwarding(place, { log, clock }));
  }

  /** Drains, and closes the stores if they are still its own. */
  async stop(): Promise<void> {
    const { log, readiness, clock, tracing } = this.#state;
    const { succession } = this.#parts;
    const { drainMs } = this.#config;
    const endMs = clock.monotonicMs() + drainMs;
    const leftMs = (): number => Math.max(endMs - clock.monotonicMs(), 0);
    await drain({ servers: this.#listeners.servers, readiness, drainMs, log });
    await succession?.untilGone(leftMs());
    await this.#listeners.close();
    await tracing?.close(leftMs());
    await this.#state.close();
  }

  #adopt(state: State): void {
    void state.unusable.then((error) => {
      if (state === this.#state) this.#unusable.resolve(error);
    });
    this.#parts.onState(state);
  }
}

/** Ready to be passed requests, and waits until the process before this one lets it serve. */
async function awaitTurn(
  { stateDir }: Config,
  switchboard: Switchboard,
  succession: Succession,
): Promise<void> {
  const place = {
    path: forwardingPath(stateDir, succession.generation),
    token: randomBytes(TOKEN_BYTES).toString('base64url'),
  };
  await bindPrivately(switchboard.addForwarded(place.token).server, place.path);
  await succession.opened(place);
}
