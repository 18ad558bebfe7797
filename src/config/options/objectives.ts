import { integer } from '../kinds/integer.ts';
import type { Options } from '../option.ts';

/** What `brume drill` holds its findings against. */
export const OBJECTIVES = {
  BRUME_OBJECTIVE_RECOVERED_MS: {
    description:
      'Objective of a drill: within so long after the fault ends all checks are counted again; after it begins where that comes by itself, by a failover or since another server takes over before the end.',
    kind: integer({ unit: 'milliseconds', minimum: 0, maximum: 3_600_000 }),
    default: '5000',
    example: '3000',
  },
  BRUME_OBJECTIVE_LOST: {
    description:
      'Objective of a drill: at most so many of its checks get no verdict. A node that is lost and named with --node meets no 0 (docs/drills.md).',
    kind: integer({ unit: 'checks', minimum: 0, maximum: 1_000_000 }),
    default: '0',
    example: '0',
  },
  BRUME_OBJECTIVE_ABOVE_LIMIT: {
    description:
      'Objective of a drill: at most so many of its checks are admitted by the counters beyond their limits, since they have forgotten what was used. Not set: what its fault may cost at most, by the rate of the drill (docs/drills.md).',
    kind: integer({ unit: 'checks', minimum: 0, maximum: 1_000_000 }),
    default: null,
    example: '10',
  },
  BRUME_OBJECTIVE_SLOWEST_MS: {
    description:
      'Objective of a drill: no check waits longer for its verdict. One that does has felt the fault.',
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 60_000 }),
    default: '1000',
    example: '250',
  },
} as const satisfies Options;
