import type { Clock } from '../../limiter/clock.ts';
import { RecentMap } from '../../limiter/recent-map.ts';
import type { RefusedSignIn, RefusedSignIns, SignInWatch } from '../../tenancy/identity/refused-sign-ins.ts';
import type { Timers } from '../cache/timers.ts';

/** Where refused sign-ins stay on record. */
interface RefusalRecord {
  noteRefusals(refusals: RefusedSignIns): Promise<void>;
}

export interface RefusalsOptions {
  readonly record: RefusalRecord;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly timers: Timers;
}

const WRITTEN_AFTER_MS = 60_000;
/** Logins with their addresses that have an entry of their own; the rest of the minute shares one. */
const ENTRIES_MAX = 10;
/** Logins of which it is known that they exist. */
const LOGINS_MAX = 1000;

/**
 * Refused sign-ins, counted in memory and written a minute after the first: a flood makes at most 11 entries
 * a minute on each node. A crash loses the last minute; while the record can't be written, the counts wait.
 */
export class Refusals implements SignInWatch {
  readonly #options: RefusalsOptions;
  readonly #known = new RecentMap<true>(LOGINS_MAX);
  #unwritten = new Map<string, RefusedSignIns>();
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  onRefused({ because, ...attempt }: RefusedSignIn): void {
    const login = this.#loginOf({ because, ...attempt });
    const atMs = this.#options.clock.nowMs();
    this.#add({
      ...attempt,
      login,
      wrong: because === 'wrong' ? 1 : 0,
      throttled: because === 'throttled' ? 1 : 0,
      firstAtMs: atMs,
      lastAtMs: atMs,
    });
    this.#schedule();
  }

  /** Writes what is counted. */
  async stop(): Promise<void> {
    this.#unschedule();
    await this.#writing;
    await this.#write();
    this.#unschedule();
  }

  /** Whether a login exists was only looked up where a password was looked at. */
  #loginOf({ login, because }: RefusedSignIn): string | null {
    if (login === null) return null;
    if (because === 'throttled') return this.#known.get(login) === undefined ? null : login;
    this.#known.delete(login);
    this.#known.set(login, true);
    return login;
  }

  #add(refused: RefusedSignIns): void {
    const key = JSON.stringify([refused.by, refused.login, refused.address]);
    const isOwn = this.#unwritten.has(key) || this.#unwritten.size < ENTRIES_MAX;
    const at = isOwn ? key : 'others';
    const before = this.#unwritten.get(at);
    const entry = isOwn ? refused : { ...refused, login: null, address: null, requestId: null };
    this.#unwritten.set(at, before === undefined ? entry : together(before, entry));
  }

  #schedule(): void {
    this.#cancel ??= this.#options.timers.after(WRITTEN_AFTER_MS, () => {
      this.#cancel = undefined;
      this.#writing = this.#writing.then(() => this.#write());
    });
  }

  #unschedule(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const refused = [...this.#unwritten.values()];
    this.#unwritten = new Map();
    while (refused.length > 0) {
      const [next] = refused;
      if (next === undefined) return;
      try {
        await this.#options.record.noteRefusals(next);
        refused.shift();
      } catch {
        // Others say that the store is away.
        for (const one of refused) this.#add(one);
        this.#schedule();
        return;
      }
    }
  }
}

function together(before: RefusedSignIns, after: RefusedSignIns): RefusedSignIns {
  return {
    ...after,
    wrong: before.wrong + after.wrong,
    throttled: before.throttled + after.throttled,
    firstAtMs: Math.min(before.firstAtMs, after.firstAtMs),
    lastAtMs: Math.max(before.lastAtMs, after.lastAtMs),
  };
}
