import type { CounterCheck, LimitSet } from '../../src/limiter/counters.ts';
import { type ConcurrencyLimit, WINDOW_ALGORITHMS } from '../../src/limiter/limit.ts';
import { LocalCounters } from '../../src/stores/local/local-counters.ts';
import { quotaOf, setOf } from './counter-engines.ts';
import { ManualTime } from './manual-time.ts';
import { RecordedLog } from './recorded-log.ts';
import { SwitchedStore } from './switched-store.ts';

/** Nodes that share a store which can be switched off, all at one time that moves only when told. */
export function localHouse({ nodes = 1, identifiersMax = 1000, storeMax = 100_000 } = {}) {
  const time = new ManualTime();
  const store = new SwitchedStore(time, storeMax);
  const log = new RecordedLog();
  const live = { nodes };
  const make = () =>
    new LocalCounters({
      counters: store,
      clock: time,
      timers: time,
      log,
      liveNodes: () => live.nodes,
      identifiersMax,
    });
  const all = Array.from({ length: nodes }, make);
  return { time, store, log, live, nodes: all, node: all[0] ?? make() };
}

export function checking(set: LimitSet, overrides: Partial<CounterCheck> = {}): CounterCheck {
  return { key: 'alice', set, cost: 1, peek: false, fallback: 'local', ...overrides };
}

/** One after the other. */
export async function admittedOf(node: LocalCounters, check: CounterCheck, count: number): Promise<number> {
  let admitted = 0;
  for (let n = 0; n < count; n++) if ((await node.check(check)).admitted) admitted++;
  return admitted;
}

/** A rule of one limit, for each algorithm that counts. */
export function setsOf(limit: number, windowMs = 60_000): [algorithm: string, set: LimitSet][] {
  return [
    ...WINDOW_ALGORITHMS.map((algorithm): [string, LimitSet] => [
      algorithm,
      setOf({ algorithm, limit, windowMs }),
    ]),
    ['quota', setOf(quotaOf(limit, 'day'))],
  ];
}

export function placesOf(limit: number, ttlMs = 10_000): LimitSet {
  const numbers = { limit, identity: 0, ttlMs };
  const place: ConcurrencyLimit = { name: 'places', mode: 'enforce', algorithm: 'concurrency', ...numbers };
  return { limits: [place] };
}
