import { Places } from '../model/places.ts';
import { overAdmission } from '../model/rate.ts';
import {
  batch,
  check,
  forwardedCheck,
  guardedCheck,
  type RatedAdmission,
  ratedCheck,
  repeatedCheck,
} from './check-loads.ts';
import { lease, reservation } from './held-loads.ts';
import { LoadContext, type LoadParts } from './load-context.ts';
import { lookAt } from './looking.ts';
import { NODES, PLACES, RATED } from './namespaces.ts';

/** Calls that are begun in a second; more than the machine answers are left out. */
const CALLS_PER_SECOND = 150;
const TICK_MS = 10;
const UNDER_WAY_MAX = 48;

/** A node's share, and those that were on their way when the store went: they aren't counted twice. */
function localMost(limit: number): number {
  return NODES * (Math.ceil(limit / NODES) + ON_THEIR_WAY_MAX);
}

const ON_THEIR_WAY_MAX = 3;

export interface OverAdmission {
  readonly beyondLimit: number;
  readonly bound: number;
}

/** A steady load through HTTP, and the model that follows what it may have consumed. */
export class Load {
  readonly #context: LoadContext;
  readonly #places: Places;
  readonly #rated: RatedAdmission[] = [];
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: LoadParts) {
    this.#context = new LoadContext(parts);
    this.#places = new Places(PLACES.limit, parts.losses);
  }

  get counts() {
    return this.#context.counts;
  }

  start(): void {
    let owed = 0;
    this.#timer = setInterval(() => {
      owed = Math.min(owed + (CALLS_PER_SECOND * TICK_MS) / 1000, 10);
      for (; owed >= 1; owed--) if (this.#running.size < UNDER_WAY_MAX) this.#begin();
    }, TICK_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
  }

  /** How many identifiers stand by what the model says, of those that are asked about; null for all of them. */
  async look(count: number | null): Promise<number> {
    const { subjects, random } = this.#context.parts;
    const live = subjects.all.filter(({ denials }) => denials < 25);
    const chosen = count === null ? live : Array.from({ length: count }, () => random.pick(live));
    let looked = 0;
    for (const subject of new Set(chosen)) if (await lookAt(this.#context, subject)) looked++;
    return looked;
  }

  /** The identifier of which most was admitted beyond its limit, and how much of that the store may have forgotten. */
  mostOver(): OverAdmission {
    const nowMs = Date.now();
    const all = this.#context.parts.subjects.all.map(({ ledger }) => ({
      beyondLimit: Math.max(0, ledger.admitted() - ledger.limit),
      bound: ledger.admitted() - Math.min(ledger.admitted(), ledger.least(nowMs)),
    }));
    return all.reduce((most, each) => (each.beyondLimit > most.beyondLimit ? each : most), {
      beyondLimit: 0,
      bound: 0,
    });
  }

  /** After an event, when all that may have been lost in it is known. */
  judgeSoFar(): void {
    const { subjects, broken, losses, briefLosses } = this.#context.parts;
    const nowMs = Date.now();
    for (const subject of subjects.all) {
      const { identifier, ledger, namespace } = subject;
      const least = ledger.least(nowMs);
      if (least > ledger.limit) broken('never over', `${identifier}: at least ${least} of ${ledger.limit}`);
      if (namespace.policy !== 'local') continue;
      const most = subject.degradedEvents.size * localMost(ledger.limit);
      if (subject.admittedDegraded > most)
        broken(
          'never over',
          `${identifier}: ${subject.admittedDegraded} by the nodes themselves, ${most} may be`,
        );
    }
    const places = this.#places.most();
    if (places > this.#places.limit) broken('never over', `${places} places of ${this.#places.limit}`);
    for (const id of this.#places.wronglyMissed()) broken('leases last', id);
    for (const { name, rate } of RATED) {
      const own = this.#rated.filter(({ namespace }) => namespace === name);
      const over = overAdmission(rate, own.slice(-400), [...losses, ...briefLosses]);
      if (over !== undefined) broken('never over', `${name}: ${over}`);
    }
  }

  #begin(): void {
    const running = this.#one().catch((error: unknown) =>
      this.#context.parts.broken('answered as documented', String(error)),
    );
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  #one(): Promise<void> {
    const load = this.#context;
    const lot = load.random.integer(1, 100);
    if (lot <= 38) return check(load);
    if (lot <= 55) return ratedCheck(load, this.#rated);
    if (lot <= 65) return repeatedCheck(load);
    if (lot <= 75) return forwardedCheck(load);
    if (lot <= 80) return guardedCheck(load);
    if (lot <= 88) return batch(load);
    if (lot <= 94) return reservation(load);
    return lease(load, this.#places);
  }
}
