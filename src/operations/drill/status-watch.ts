import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../client/api-client.ts';
import type { Status } from '../../client/status.ts';

/** What this node said of itself, at any time while it was watched. */
export interface SaidOfItself {
  readonly wereCountersAway: boolean;
  /** They may have lost what they had counted. */
  readonly wereCountsLost: boolean;
  readonly wasConfigurationAway: boolean;
  /** Fewer nodes shared the configuration store than before. */
  readonly wereNodesFewer: boolean;
  /** It gave no answer at all. */
  readonly wasItselfAway: boolean;
}

const LOOK_EVERY_MS = 200;

/** Asks a node for its status from now on, as before a drill, until it is stopped. */
export class StatusWatch {
  readonly #client: Pick<ApiClient, 'status'>;
  readonly #before: Status;
  readonly #over = new AbortController();
  readonly #watching: Promise<void>;
  #said: SaidOfItself = {
    wereCountersAway: false,
    wereCountsLost: false,
    wasConfigurationAway: false,
    wereNodesFewer: false,
    wasItselfAway: false,
  };

  constructor(client: Pick<ApiClient, 'status'>, before: Status) {
    this.#client = client;
    this.#before = before;
    this.#watching = this.#watch();
  }

  /** So far. */
  get said(): SaidOfItself {
    return this.#said;
  }

  /** Asks once more, so that what is there now is not missed, and no more after that. */
  async stop(): Promise<SaidOfItself> {
    this.#over.abort();
    await this.#watching;
    return this.#said;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      const isLast = signal.aborted;
      await this.#look();
      if (isLast) return;
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const now = await this.#client.status().catch(() => undefined);
    const said = this.#said;
    if (now === undefined) {
      this.#said = { ...said, wasItselfAway: true };
      return;
    }
    const before = this.#before;
    this.#said = {
      ...said,
      wereCountersAway: said.wereCountersAway || now.counters.state !== 'available',
      wereCountsLost: said.wereCountsLost || now.counters.losses > before.counters.losses,
      wasConfigurationAway: said.wasConfigurationAway || now.configuration.state !== 'available',
      wereNodesFewer: said.wereNodesFewer || now.nodes < before.nodes,
    };
  }
}
