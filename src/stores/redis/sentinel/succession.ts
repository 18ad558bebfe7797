import type { Clock } from '../../../limiter/clock.ts';
import type { StoreLog } from '../../store-log.ts';
import { placeText, type RedisEndpoint } from '../redis-address.ts';
import { isPromoted, type PromotionOptions } from './promotion.ts';
import type { Selection } from './sentinel-view.ts';

export interface SuccessionOptions {
  /** See PromotionOptions. */
  readonly connect: PromotionOptions['connect'];
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Pick<StoreLog, 'warn'>;
  /** The successor is in office, or no longer. */
  readonly onChange: () => void;
}

/** So long after the promotion the Sentinels may take to name it; they need one second, or abort the failover. */
const NAMED_WITHIN_MS = 5000;

/**
 * Between the promotion of a replica and the moment at which the Sentinels name it: there are two masters then,
 * and what is counted on the former one is lost. The replica itself is believed that it is a master, because a
 * Sentinel had said before that it would make it one.
 */
export class Succession {
  readonly #options: SuccessionOptions;
  #watching: AbortController | undefined;
  #successor: RedisEndpoint | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SuccessionOptions) {
    this.#options = options;
  }

  /** Who is the master already, though not named yet. */
  current(): RedisEndpoint | undefined {
    return this.#successor;
  }

  /** A Sentinel has chosen a replica. */
  async expect({ replica, master }: Selection): Promise<void> {
    if (this.#successor !== undefined) return;
    this.#watching?.abort();
    const watching = new AbortController();
    this.#watching = watching;
    const { connect, clock, log, onChange } = this.#options;
    const isMaster = await isPromoted(replica, { connect, clock, signal: watching.signal });
    if (!isMaster || watching.signal.aborted) return;
    this.#successor = replica;
    const fields = { master: placeText(replica), before: placeText(master) };
    log.warn(fields, 'a Sentinel had a replica promoted; it is the master before most of them say so');
    this.#timer = setTimeout(() => {
      log.warn(fields, 'the Sentinels do not name the replica that was promoted; their master counts again');
      this.end();
      onChange();
    }, NAMED_WITHIN_MS);
    this.#timer.unref();
    onChange();
  }

  /** The Sentinels are of one mind again, or nobody asks any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#watching?.abort();
    this.#watching = undefined;
    this.#successor = undefined;
  }
}
