import type { CounterCheck, CounterOutcome, CountersError, LimitSet } from '../../limiter/counters.ts';
import type { Held } from '../../limiter/held.ts';
import { Ledger } from '../../limiter/local/ledger.ts';
import { type Seen, seedOf } from '../../limiter/local/seed.ts';
import { type Share, shareOfSet } from '../../limiter/local/share.ts';
import { mergeCounted } from '../../limiter/merge.ts';
import { type Decision, decide } from '../../limiter/plan.ts';
import type { LocalEntry, LocalTable } from './local-table.ts';

export interface LocalJudgeOptions {
  readonly table: LocalTable;
  /** How an identifier stood when the store answered last, if that is known. */
  readonly seen: (key: string) => Seen | undefined;
  /** How many nodes share the store, this one included; the last number known. */
  readonly liveNodes: () => number;
}

/** Under which circumstances a node judges by itself. */
export interface LocalTerms {
  readonly fault: CountersError;
  /** By this node's estimate of the store's time. */
  readonly nowMs: number;
  /**
   * The store may have counted the check: it counts for those that are judged here until its windows are over,
   * and is not owed. A place that it takes is nobody's to release.
   */
  readonly isPerhapsCounted: boolean;
}

/**
 * Judges checks by this node's share of each limit, with the models that the store's script follows. Costs
 * that are to be reserved are counted as they are estimated; request ids are not remembered.
 */
export class LocalJudge {
  readonly #options: LocalJudgeOptions;

  constructor(options: LocalJudgeOptions) {
    this.#options = options;
  }

  /** Throws CountersError full for an identifier that there is no room for. */
  judge(check: CounterCheck, terms: LocalTerms): CounterOutcome {
    const { table } = this.#options;
    const known = table.get(check.key, terms.nowMs);
    const entry = known ?? this.#begun(check, terms);
    const decision = this.#decide(check, entry.held, terms);
    if (decision.held !== undefined) {
      if (known === undefined) table.assertRoom([check.key], terms.nowMs);
      this.#commit(entry, check, decision, terms);
    }
    return told(decision.outcome, terms);
  }

  /** All of the checks are counted, or none. Throws as judge() does. */
  judgeAtomically(checks: readonly CounterCheck[], terms: LocalTerms): readonly CounterOutcome[] {
    const { table } = this.#options;
    const { nowMs, fault } = terms;
    const begun = new Map<string, LocalEntry>();
    const copies = new Map<string, Held>();
    const decisions = checks.map((check) => {
      const { key } = check;
      const entry = begun.get(key) ?? table.get(key, nowMs) ?? this.#begun(check, terms);
      begun.set(key, entry);
      // A decision uses up what is held, and this one may have to be taken back.
      const decision = this.#decide(check, copies.get(key) ?? structuredClone(entry.held), terms);
      if (decision.held !== undefined) copies.set(key, decision.held);
      return decision;
    });
    if (!decisions.every(({ outcome }) => outcome.admitted)) {
      return decisions.map(({ outcome }, index) => ({
        ...this.#heldBack(outcome, checks[index] as CounterCheck, terms),
        fault,
      }));
    }
    table.assertRoom([...copies.keys()], nowMs);
    decisions.forEach((decision, index) => {
      const check = checks[index] as CounterCheck;
      const entry = begun.get(check.key);
      if (entry !== undefined && decision.held !== undefined) this.#commit(entry, check, decision, terms);
    });
    return decisions.map(({ outcome }) => told(outcome, terms));
  }

  /** By how the store said that it stands, and by what that may not know of an earlier time. */
  #begun({ key, set }: CounterCheck, { nowMs }: LocalTerms): LocalEntry {
    const { seen, table } = this.#options;
    const share = this.#share(set);
    const { held, levels } = seedOf(seen(key), set, share);
    const unsure = table.unsureOf(key)?.onto(levels, share.owed, nowMs);
    const counted = unsure?.owed(share.owed, nowMs);
    return {
      key,
      held: counted === undefined ? held : mergeCounted({ set: share.judged, counted }, held, nowMs).held,
      ledger: new Ledger(levels),
      unsure,
      set,
      expiresMs: nowMs,
      merging: undefined,
    };
  }

  #decide(check: CounterCheck, held: Held, { nowMs }: LocalTerms): Decision {
    const { set, cost, holder, ruling, peek } = check;
    const asked = {
      cost,
      peek,
      ...(holder !== undefined && { holder }),
      ...(ruling !== undefined && { ruling }),
    };
    return decide(this.#share(set).judged, held, asked, nowMs);
  }

  #commit(
    entry: LocalEntry,
    check: CounterCheck,
    { held, outcome, expiresAtMs }: Decision,
    terms: LocalTerms,
  ) {
    if (!check.peek) this.#ledgerOf(entry, terms).note(this.#share(check.set).owed, check, outcome);
    entry.held = held ?? entry.held;
    entry.set = check.set;
    entry.expiresMs = Math.max(expiresAtMs, entry.ledger.endMs, entry.unsure?.endMs ?? 0);
    this.#options.table.set(entry, terms.nowMs);
  }

  #ledgerOf(entry: LocalEntry, { isPerhapsCounted }: LocalTerms): Ledger {
    if (!isPerhapsCounted) return entry.ledger;
    entry.unsure ??= entry.ledger.beside();
    return entry.unsure;
  }

  /** A check of a batch that is not counted: denied as it was, or how it stands by itself. */
  #heldBack(outcome: CounterOutcome, check: CounterCheck, terms: LocalTerms): CounterOutcome {
    if (!outcome.admitted || check.ruling !== undefined)
      return { ...outcome, admitted: false, isHeldBack: outcome.admitted, token: undefined };
    const held = (this.#options.table.get(check.key, terms.nowMs) ?? this.#begun(check, terms)).held;
    const { outcome: alone } = this.#decide({ ...check, peek: true }, held, terms);
    return { ...alone, isHeldBack: alone.admitted, admitted: false, token: undefined };
  }

  #share(set: LimitSet): Share {
    return shareOfSet(set, this.#options.liveNodes());
  }
}

/** A lease that the store may hold is not given by this node as well. */
function told(outcome: CounterOutcome, { fault, isPerhapsCounted }: LocalTerms): CounterOutcome {
  return { ...outcome, fault, ...(isPerhapsCounted && { token: undefined }) };
}
