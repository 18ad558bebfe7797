import { duration } from '../kinds/duration.ts';
import { integer } from '../kinds/integer.ts';
import type { Options } from '../option.ts';

export const CACHES = {
  BRUME_KEY_LOOKUP_TIMEOUT_MS: {
    description:
      'How long a request waits while its API key is looked up in the configuration store. After that it is answered with 503.',
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 60_000 }),
    default: '250',
    example: '250',
  },
  BRUME_KEY_CACHE_MS: {
    description:
      'How long a key that was found is remembered. A revoked key is dropped sooner, when the change arrives.',
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 86_400_000 }),
    default: '60000',
    example: '60000',
  },
  BRUME_UNKNOWN_KEY_CACHE_MS: {
    description: 'How long a key that does not exist is remembered as unknown.',
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 3_600_000 }),
    default: '5000',
    example: '5000',
  },
  BRUME_PROPAGATION_MS: {
    description: 'Within which time a change of configuration reaches every node.',
    kind: integer({ unit: 'milliseconds', minimum: 10, maximum: 60_000 }),
    default: '1000',
    example: '1000',
  },
  BRUME_SNAPSHOT_MAX_AGE: {
    description:
      'With PostgreSQL, Brume keeps a copy of the configuration in `snapshot.brume` in BRUME_STATE_DIR, and starts from it while PostgreSQL is away, unless PostgreSQL confirmed it last longer ago than this. 0: no copy is kept, and no start is made without PostgreSQL.',
    kind: duration({ maximumMs: 366 * 86_400_000 }),
    default: '7d',
    example: '7d',
  },
} as const satisfies Options;
