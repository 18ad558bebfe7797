import type { Loss } from './ledger.ts';

interface Place {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly expiresAtMs: number;
  /** When it was first asked to be given back. */
  releasedMs: number;
}

interface Missed {
  readonly id: string;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** Which places of a concurrency limit are surely held, as seen from outside. Epoch milliseconds. */
export class Places {
  readonly limit: number;
  readonly #losses: readonly Loss[];
  readonly #missed: Missed[] = [];
  readonly #places = new Map<string, Place>();

  constructor(limit: number, losses: readonly Loss[]) {
    this.limit = limit;
    this.#losses = losses;
  }

  granted(id: string, place: Omit<Place, 'releasedMs'>): void {
    this.#places.set(id, { ...place, releasedMs: Number.POSITIVE_INFINITY });
  }

  /** Before the call is sent: from now on nobody knows. */
  releasing(id: string, nowMs: number): void {
    const place = this.#places.get(id);
    if (place !== undefined) place.releasedMs = Math.min(place.releasedMs, nowMs);
  }

  /** A renewal found nothing, between these times. */
  missed(id: string, sentMs: number, receivedMs: number): void {
    this.#missed.push({ id, sentMs, receivedMs });
  }

  /** Places that surely were held when a renewal did not find them; to be asked when all losses are known. */
  wronglyMissed(): string[] {
    const isWrong = ({ id, sentMs, receivedMs }: Missed) => {
      const place = this.#places.get(id);
      return (
        place !== undefined && this.#isSurelyHeld(place, sentMs) && this.#isSurelyHeld(place, receivedMs)
      );
    };
    return this.#missed.filter(isWrong).map(({ id }) => id);
  }

  held(atMs: number): number {
    return [...this.#places.values()].filter((place) => this.#isSurelyHeld(place, atMs)).length;
  }

  /** The most that were surely held at once. */
  most(): number {
    return Math.max(0, ...[...this.#places.values()].map(({ receivedMs }) => this.held(receivedMs)));
  }

  #isSurelyHeld({ sentMs, receivedMs, expiresAtMs, releasedMs }: Place, atMs: number): boolean {
    if (receivedMs > atMs || releasedMs <= atMs || expiresAtMs <= atMs) return false;
    return !this.#losses.some(
      ({ fromMs, toMs, everything }) =>
        fromMs <= atMs && sentMs <= toMs && (everything || receivedMs >= fromMs),
    );
  }
}
