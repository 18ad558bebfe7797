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

/** An attempt that may go on. It counts as failed until it has succeeded. */
export interface Attempt {
  readonly waitMs: 0;
  succeeded(): void;
}

/** An attempt that must wait. It isn't counted. */
export interface Delay {
  readonly waitMs: number;
}

/**
 * Slows down guessing, in bounded memory, on this node. Nobody is locked out for good: waits end, and
 * addresses from which somebody has signed in before don't wait for what others do to the same login.
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
    const counts: [RecentMap<Failures>, string, Slowness][] = [[this.#fromAddress, from, FROM_ADDRESS]];
    if (login !== null) {
      counts.push([this.#atLoginFromAddress, pair, AT_LOGIN_FROM_ADDRESS]);
      if (this.#familiar.get(pair) === undefined) counts.push([this.#atLogin, login, AT_LOGIN]);
    }
    const waitMs = Math.max(...counts.map(([map, key]) => (map.get(key)?.openAtMs ?? 0) - nowMs));
    if (waitMs > 0) return { waitMs };

    for (const [map, key, slowness] of counts) count(map, key, slowness, nowMs);
    return {
      waitMs: 0,
      succeeded: () => {
        for (const [map, key] of counts) takeBack(map, key, nowMs);
        if (login === null) return;
        this.#atLoginFromAddress.delete(pair);
        this.#familiar.delete(pair);
        this.#familiar.set(pair, true);
      },
    };
  }
}

function count(map: RecentMap<Failures>, key: string, { free, waitMaxMs }: Slowness, nowMs: number): void {
  const known = map.get(key);
  const isForgotten = known === undefined || nowMs - known.openAtMs > FORGET_AFTER_MS;
  const failures = isForgotten ? 1 : known.count + 1;
  const waitMs = failures <= free ? 0 : Math.min(waitMaxMs, FIRST_WAIT_MS * 2 ** (failures - free - 1));
  map.delete(key);
  map.set(key, { count: failures, openAtMs: nowMs + waitMs });
}

/** The attempt that was counted in advance didn't fail. Those before it stay. */
function takeBack(map: RecentMap<Failures>, key: string, nowMs: number): void {
  const known = map.get(key);
  map.delete(key);
  if (known !== undefined && known.count > 1) map.set(key, { count: known.count - 1, openAtMs: nowMs });
}
