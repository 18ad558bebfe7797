import { integer } from '../kinds/integer.ts';
import { integerOrOff } from '../kinds/integer-or-off.ts';
import type { Options } from '../option.ts';

const RATE_MAX = 1_000_000;

export const PROTECTION = {
  BRUME_ADDRESS_RATE: {
    description:
      'How many calls a second one client address may make on the data plane without a valid key; more are answered with 429 before any key is looked up. Calls with a valid key, forward-auth calls, trusted proxies and peers on the Unix socket are not counted. `off` switches this off.',
    kind: integerOrOff({ unit: 'calls a second', minimum: 1, maximum: RATE_MAX }),
    default: '100',
    example: '100',
  },
  BRUME_ADDRESS_BURST: {
    description: 'How many of those calls one address may make at once.',
    kind: integer({ unit: 'calls', minimum: 1, maximum: RATE_MAX }),
    default: '1000',
    example: '1000',
  },
  BRUME_ADDRESS_IPV6_PREFIX: {
    description:
      'By how many leading bits an IPv6 address is counted there: whoever has a network must not have a count for each address in it.',
    kind: integer({ unit: 'bits', minimum: 16, maximum: 128 }),
    default: '64',
    example: '56',
  },
  BRUME_ACTOR_RATE: {
    description:
      'How many calls a second one API key may make on the data plane, on all nodes together, whether their checks are allowed or denied; more are answered with 429. `off`: as many as it likes.',
    kind: integerOrOff({ unit: 'calls a second', minimum: 1, maximum: RATE_MAX }),
    default: 'off',
    example: '500',
  },
  BRUME_ACTOR_BURST: {
    description: 'How many of those calls one key may make at once; not set: as many as in a second.',
    kind: integer({ unit: 'calls', minimum: 1, maximum: RATE_MAX }),
    default: null,
    example: '2000',
  },
} as const satisfies Options;
