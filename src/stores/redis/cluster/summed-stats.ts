import type { RedisStats } from '../../../telemetry/metrics/store-stats.ts';

type Summed = Omit<RedisStats, 'isConnected' | 'calls' | 'timeouts' | 'failures' | 'cluster'>;

/** What the connections to several servers tell, in one. Calls are counted by who chooses among them. */
export function summed(all: readonly RedisStats[]): Summed {
  const sum = (of: (stats: RedisStats) => number) => all.reduce((total, stats) => total + of(stats), 0);
  return {
    reconnects: sum(({ reconnects }) => reconnects),
    mayEvict: mayAnyEvict(all.map(({ mayEvict }) => mayEvict)),
    evictions: sum(({ evictions }) => evictions),
    faults: sumOf(all.map(({ faults }) => faults)),
    breakers: sumOf(all.map(({ breakers }) => breakers)),
    clockSteps: sum(({ clockSteps }) => clockSteps),
    clockSteppedAtMs: latestOf(all.map(({ clockSteppedAtMs }) => clockSteppedAtMs)),
    serverChanges: sum(({ serverChanges }) => serverChanges),
    reachableSentinels: undefined,
  };
}

function mayAnyEvict(flags: readonly (boolean | undefined)[]): boolean | undefined {
  const told = flags.filter((flag) => flag !== undefined);
  return told.length === 0 ? undefined : told.includes(true);
}

function latestOf(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Of counts by the same names. */
function sumOf<Name extends string>(counts: readonly Readonly<Record<Name, number>>[]): Record<Name, number> {
  const sum = {} as Record<Name, number>;
  for (const one of counts) {
    for (const name of Object.keys(one) as Name[]) sum[name] = (sum[name] ?? 0) + one[name];
  }
  return sum;
}
