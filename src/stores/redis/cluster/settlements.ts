import { setTimeout as delay } from 'node:timers/promises';
import type { SettledRequest } from '../encode-call.ts';
import type { CallTiming } from '../script-caller.ts';

export interface SettlementsParts {
  /** Does nothing where the reservation is gone, so that it may be asked again. */
  readonly settle: (settling: SettledRequest, timing: CallTiming) => Promise<unknown>;
}

const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 2000;
/** A server that is away for longer has lost the reservation, or has given it back. */
const ATTEMPTS_MAX = 12;
/** At most so many are asked for again at the same time; those beyond them run out by themselves. */
const RETRIED_MAX = 10_000;

/** Turns brief reservations into use, or drops them, until it is known that each is settled. */
export class Settlements {
  readonly #parts: SettlementsParts;
  readonly #stop = new AbortController();
  #retriedCount = 0;

  constructor(parts: SettlementsParts) {
    this.#parts = parts;
  }

  /** Resolves when each has been tried once; what failed goes on being tried. Never rejects. */
  async settle(settlings: readonly SettledRequest[], timing: CallTiming): Promise<void> {
    const { settle } = this.#parts;
    await Promise.all(
      settlings.map(async (settling) => {
        try {
          await settle(settling, timing);
        } catch {
          void this.#retry(settling);
        }
      }),
    );
  }

  close(): void {
    this.#stop.abort();
  }

  async #retry(settling: SettledRequest): Promise<void> {
    if (this.#retriedCount >= RETRIED_MAX) return;
    this.#retriedCount++;
    try {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const pauseMs = Math.min(RETRY_MS_MIN * 2 ** attempt, RETRY_MS_MAX);
        await delay(pauseMs, undefined, { ref: false, signal: this.#stop.signal });
        if (await this.#isSettled(settling)) return;
      }
    } catch {
      // Stopped.
    } finally {
      this.#retriedCount--;
    }
  }

  async #isSettled(settling: SettledRequest): Promise<boolean> {
    try {
      await this.#parts.settle(settling, {});
      return true;
    } catch {
      return false;
    }
  }
}
