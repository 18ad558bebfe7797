import type { Limit } from './limit.ts';

/** A cost that is counted as used before it is known. */
export interface Reservation {
  readonly cost: number;
  readonly madeMs: number;
  /** From then on it no longer counts, unless it was committed. */
  readonly expiresMs: number;
  /**
   * The limits that it was counted in, by name, each with what its state was known by; empty where that
   * state has been given up since, by a change of the rule.
   */
  readonly charged: ReadonlyMap<string, string>;
  readonly state: 'open' | 'expired' | 'settled';
  /** What was really used, once it is settled; 0 for one that was dropped. */
  readonly actual: number;
  /** It was committed after it had run out. */
  readonly isLate: boolean;
}

/** An identifier's reservations, by `RANDOM:TTL`. */
export interface Reservations {
  readonly byToken: ReadonlyMap<string, Reservation>;
  /** When the next open one runs out; Infinity if none is open. */
  readonly earliestMs: number;
}

export const NO_RESERVATIONS: Reservations = { byToken: new Map(), earliestMs: Number.POSITIVE_INFINITY };

/** How long one is remembered after its time: to be committed late, and to be answered alike again. */
export const RESERVATION_KEPT_MS = 600_000;
/** Of an identifier at the same time, those that are only remembered included. */
export const RESERVATIONS_MAX = 1000;
export const RESERVATION_TTL_MS_MIN = 1000;
export const RESERVATION_TTL_MS_MAX = 24 * 3600 * 1000;

/** Of a batch over several servers: gone once it is settled, and none of those that an identifier may have. */
export const BRIEF = '~';

/** What takes part in an answer: nobody is told of a brief one. */
export function toldToken({
  holder,
  reservation,
}: {
  readonly holder?: string;
  readonly reservation?: string;
}): string | undefined {
  return holder ?? (reservation?.startsWith(BRIEF) ? undefined : reservation);
}

/** Whether an identifier has room for one more under this token. */
export function hasRoom({ byToken }: Reservations, token: string): boolean {
  if (byToken.size < RESERVATIONS_MAX || token.startsWith(BRIEF)) return true;
  return [...byToken.keys()].filter((other) => !other.startsWith(BRIEF)).length < RESERVATIONS_MAX;
}

/** What the state of a limit is known by: a count under another key is another count. */
export function stateKeyOf({ algorithm, identity }: Pick<Limit, 'algorithm' | 'identity'>): string {
  return `${algorithm}:${identity}`;
}

/** No longer counted in the states of these limits, which have been given up. */
export function without(reservations: Reservations, givenUp: ReadonlyMap<string, string>): Reservations {
  const byToken = new Map<string, Reservation>();
  for (const [token, reservation] of reservations.byToken) {
    const charged = new Map(reservation.charged);
    for (const [name, key] of givenUp) {
      if (charged.get(name) === key) charged.set(name, '');
    }
    byToken.set(token, { ...reservation, charged });
  }
  return { ...reservations, byToken };
}

export function reservationsOf(byToken: ReadonlyMap<string, Reservation>): Reservations {
  let earliestMs = Number.POSITIVE_INFINITY;
  for (const { state, expiresMs } of byToken.values()) {
    if (state === 'open') earliestMs = Math.min(earliestMs, expiresMs);
  }
  return { byToken, earliestMs };
}

/** What has run out by now, and what is left once that is marked and what is long over is forgotten. */
export function expire(
  { byToken }: Reservations,
  nowMs: number,
): { readonly left: Reservations; readonly ended: readonly Reservation[] } {
  const left = new Map<string, Reservation>();
  const ended: Reservation[] = [];
  for (const [token, reservation] of byToken) {
    const isEnding = reservation.state === 'open' && reservation.expiresMs <= nowMs;
    if (isEnding) ended.push(reservation);
    if (nowMs >= reservation.expiresMs + RESERVATION_KEPT_MS) continue;
    left.set(token, isEnding ? { ...reservation, state: 'expired' } : reservation);
  }
  return { left: reservationsOf(left), ended };
}
