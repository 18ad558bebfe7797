import { CountersError, type LimitSet } from '../../limiter/counters.ts';
import type { Held } from '../../limiter/held.ts';
import type { Ledger } from '../../limiter/local/ledger.ts';
import { SweptMap } from './swept-map.ts';

/** What a node holds of an identifier that it judges by itself. */
export interface LocalEntry {
  readonly key: string;
  /** By which its checks are judged. */
  held: Held;
  /** What is owed to the store of it: what that has surely not counted. */
  readonly ledger: Ledger;
  /**
   * What the store may have counted of it or not: never merged, and counted by this node until its windows
   * are over. Absent: nothing.
   */
  unsure: Ledger | undefined;
  /** The rule's limits when it was judged last. */
  set: LimitSet;
  /** From then on it is worth no more than nothing. */
  expiresMs: number;
  /** While it is being merged, nothing may be counted in it. Resolves with why it was not; never rejects. */
  merging: Promise<CountersError | undefined> | undefined;
}

/** Each new entry, and each answer, looks at so many for ended ones. */
const SWEEP_STEPS = 2;
/** A full table is searched this far for room before a newcomer is refused. */
const SWEEP_STEPS_WHEN_FULL = 1000;

/** A bounded table, in which a newcomer never takes the place of a living entry. */
export class LocalTable {
  readonly #max: number;
  readonly #entries = new SweptMap<LocalEntry>(
    ({ expiresMs, merging }, nowMs) => expiresMs <= nowMs && merging === undefined,
  );
  /** Of identifiers that the store judges again. */
  readonly #unsure = new SweptMap<Ledger>(({ endMs }, nowMs) => endMs <= nowMs);

  constructor(max: number) {
    this.#max = max;
  }

  /** How many identifiers this node judges by itself. */
  get size(): number {
    return this.#entries.size;
  }

  /** Of how many others it knows what the store may have counted of them or not. */
  get unsureSize(): number {
    return this.#unsure.size;
  }

  /** Undefined for one that has ended. */
  get(key: string, nowMs: number): LocalEntry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    return entry.expiresMs > nowMs || entry.merging !== undefined ? entry : undefined;
  }

  /** Of an identifier that has no entry: what of an earlier one the store may have counted or not. */
  unsureOf(key: string): Ledger | undefined {
    return this.#unsure.get(key);
  }

  /** Throws CountersError full, having changed nothing, if there is no room for those of them that are new. */
  assertRoom(keys: readonly string[], nowMs: number): void {
    if (this.#hasRoom(keys)) return;
    this.#entries.sweep(SWEEP_STEPS_WHEN_FULL, nowMs);
    this.#unsure.sweep(SWEEP_STEPS_WHEN_FULL, nowMs);
    if (this.#hasRoom(keys)) return;
    throw new CountersError(
      'full',
      `this node judges ${this.#max} identifiers by itself, its maximum: raise BRUME_LOCAL_IDENTIFIERS_MAX`,
    );
  }

  /** For one that there is room for, and that has taken over what was unsure of it. */
  set(entry: LocalEntry, nowMs: number): void {
    this.#entries.set(entry.key, entry);
    this.#unsure.delete(entry.key);
    this.sweep(nowMs);
  }

  /** The store judges it again; nothing is done if another one has come in its place. */
  drop(entry: LocalEntry): void {
    const { key, unsure } = entry;
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    if (unsure !== undefined && !unsure.isEmpty) this.#unsure.set(key, unsure);
  }

  /** Forgets all but the places of what is unsure of an identifier that has no entry. */
  resetUnsure(key: string): void {
    const unsure = this.#unsure.get(key);
    unsure?.reset();
    if (unsure?.isEmpty === true) this.#unsure.delete(key);
  }

  /** The oldest first. */
  entries(): Iterable<LocalEntry> {
    return this.#entries.values();
  }

  sweep(nowMs: number): void {
    this.#entries.sweep(SWEEP_STEPS, nowMs);
    this.#unsure.sweep(SWEEP_STEPS, nowMs);
  }

  #hasRoom(keys: readonly string[]): boolean {
    const isNew = (key: string) =>
      this.#entries.get(key) === undefined && this.#unsure.get(key) === undefined;
    return this.#entries.size + this.#unsure.size + keys.filter(isNew).length <= this.#max;
  }
}
