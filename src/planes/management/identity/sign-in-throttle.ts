import { RecentMap } from '../../../limiter/recent-map.ts';
import { canonicalAddress } from '../../../policy/address.ts';

/** How failures of one kind are slowed down. */
interface Slowness {
  /** So many failures cost nothing. */
  readonly free: number;
  /** Each further one doubles the wait, from one second up to this. */
  readonly waitMaxMs: number;
}

/** Somebody at a login from one address. */
const AT_LOGIN_FROM_ADDRESS: Slowness = { free: 5, waitMaxMs: 300_000 };
/** One address at all logins. */
const FROM_ADDRESS: Slowness = { free: 20, waitMaxMs: 300_000 };
/** All addresses at one login. Short, since whoever waits here may be the one whose login it is. */
const AT_LOGIN: Slowness = { free: 50, waitMaxMs: 10_000 };

/** So long after the last failure, or its wait, nothing is held against anybody. */
const FORGET_AFTER_MS = 900_000;
/** Of each kind; what was used last stays. */
const ENTRIES_MAX = 20_000;
const FIRST_WAIT_MS = 1000;
/** Whoever has an IPv6 address has its network too. */
const IPV6_PREFIX = 64;

interface Failures {
  readonly count: number;
  readonly openAtMs: number;
}

/** An attempt that may go on. It counts as failed until it turns out not to have. */
export interface Attempt {
  readonly waitMs: 0;
  succeeded(): void;
  /** Nobody could say whether it was right: it counts for nothing. */
  wasNotJudged(): void;
}

/** An attempt that must wait. It isn't counted. */
export interface Delay {
  readonly waitMs: number;
}

/** What was counted, so that it can be taken back. */
interface Counted {
  readonly map: RecentMap<Failures>;
  readonly key: string;
  readonly free: number;
  readonly before: Failures | undefined;
  readonly after: Failures;
}

/**
 * Slows down guessing, in bounded memory, on this node. Nobody is locked out for good: waits end, and
 * where somebody has signed in before, only failures at that login from that address make them wait.
 */
export class SignInThrottle {
  readonly #clock: { monotonicMs(): number };
  readonly #atLoginFromAddress = new RecentMap<Failures>(ENTRIES_MAX);
  readonly #fromAddress = new RecentMap<Failures>(ENTRIES_MAX);
  readonly #atLogin = new RecentMap<Failures>(ENTRIES_MAX);
  readonly #familiar = new RecentMap<true>(ENTRIES_MAX);

  constructor(clock: { monotonicMs(): number }) {
    this.#clock = clock;
  }

  /** `login` null: an invitation, where only the address counts. `address` null: nobody can say. */
  begin(login: string | null, address: string | null): Attempt | Delay {
    const nowMs = this.#clock.monotonicMs();
    const from = address === null ? 'unknown' : (canonicalAddress(address, IPV6_PREFIX) ?? address);
    const pair = JSON.stringify([login, from]);
    const ofPair: Place = [this.#atLoginFromAddress, pair, AT_LOGIN_FROM_ADDRESS];
    const ofAddress: Place = [this.#fromAddress, from, FROM_ADDRESS];
    const ofLogin: Place[] = login === null ? [] : [[this.#atLogin, login, AT_LOGIN]];
    const isFamiliar = login !== null && this.#familiar.get(pair) !== undefined;
    const places = login === null ? [ofAddress] : [ofPair, ofAddress, ...(isFamiliar ? [] : ofLogin)];
    const judging = isFamiliar ? [ofPair] : places;
    const waitMs = Math.max(...judging.map(([map, key]) => (map.get(key)?.openAtMs ?? 0) - nowMs));
    if (waitMs > 0) return { waitMs };

    const counted = places.map((place) => count(place, nowMs));
    const wasNotJudged = () => {
      for (const one of counted) takeBack(one, nowMs);
    };
    return {
      waitMs: 0,
      wasNotJudged,
      succeeded: () => {
        wasNotJudged();
        if (login === null) return;
        this.#atLoginFromAddress.delete(pair);
        this.#familiar.delete(pair);
        this.#familiar.set(pair, true);
      },
    };
  }
}

type Place = readonly [map: RecentMap<Failures>, key: string, slowness: Slowness];

function count([map, key, { free, waitMaxMs }]: Place, nowMs: number): Counted {
  const before = map.get(key);
  const isForgotten = before === undefined || nowMs - before.openAtMs > FORGET_AFTER_MS;
  const failures = isForgotten ? 1 : before.count + 1;
  const waitMs = failures <= free ? 0 : Math.min(waitMaxMs, FIRST_WAIT_MS * 2 ** (failures - free - 1));
  // A familiar place counts on while it waits for nobody: an earlier wait of others stands.
  const after = { count: failures, openAtMs: Math.max(nowMs + waitMs, before?.openAtMs ?? 0) };
  map.delete(key);
  map.set(key, after);
  return { map, key, free, before, after };
}

/**
 * The attempt that was counted in advance didn't fail. Those before it stay, and those that came meanwhile;
 * a wait that only this one made ends.
 */
function takeBack({ map, key, free, before, after }: Counted, nowMs: number): void {
  const known = map.get(key);
  map.delete(key);
  if (known === undefined) return;
  if (known === after) {
    if (before !== undefined) map.set(key, before);
  } else if (known.count > 1) {
    const count = known.count - 1;
    map.set(key, { count, openAtMs: count <= free ? Math.min(known.openAtMs, nowMs) : known.openAtMs });
  }
}
