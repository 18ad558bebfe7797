import { integer } from '../kinds/integer.ts';
import type { Options } from '../option.ts';

export const LOCAL = {
  BRUME_LOCAL_IDENTIFIERS_MAX: {
    description:
      'Of how many identifiers a node remembers what they had left, in namespaces whose `onStoreFailure` is `local`, and how many it judges by itself while the counters give no answer. Beyond that no living one is evicted: new ones are denied, `store_unavailable`.',
    kind: integer({ unit: 'identifiers', minimum: 1, maximum: 16_000_000 }),
    default: '100000',
    example: '1000000',
  },
} as const satisfies Options;
