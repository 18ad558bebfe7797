import type { Topology } from './rigs/rig.ts';

export interface FixedSeed {
  readonly topology: Topology;
  readonly seed: number;
  readonly events: number;
}

/** What CI runs, in about a minute. A seed that once broke something gets a row here, and what it was. */
export const FIXED_SEEDS: readonly FixedSeed[] = [
  { topology: 'single', seed: 1, events: 30 },
  // A planned failover: for 44 ms one node asked the former master while the other counted at the new one.
  { topology: 'sentinel', seed: 1, events: 15 },
  { topology: 'cluster', seed: 1, events: 15 },
];
