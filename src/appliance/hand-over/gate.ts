import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ListenerName } from '../listener-metrics.ts';

/** A request that no plane of this process has begun to answer. */
export interface HeldRequest {
  /** At which it came in. */
  readonly listener: ListenerName;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Where it was read already. */
  readonly body?: Buffer | undefined;
}

export type Taker = (held: HeldRequest) => void;

/** Where requests wait while nobody knows yet which process is going to answer them. */
export class Gate {
  readonly #waiting = new Map<IncomingMessage, HeldRequest>();
  #taker: Taker | undefined;

  get waitingCount(): number {
    return this.#waiting.size;
  }

  isWaiting(request: IncomingMessage): boolean {
    return this.#waiting.has(request);
  }

  take(held: HeldRequest): void {
    if (this.#taker !== undefined) this.#taker(held);
    else this.#waiting.set(held.request, held);
  }

  shut(): void {
    this.#taker = undefined;
  }

  /** In the order in which they came; who has gone meanwhile is asked for nothing. */
  openTo(taker: Taker): void {
    this.#taker = taker;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const held of waiting) if (!held.response.destroyed) taker(held);
  }
}
