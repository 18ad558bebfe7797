import fc from 'fast-check';

/** A project's rules as a file may say them, at random; canonical enough to be written and read again. */

const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/);
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter(
    (value) =>
      !/\p{Cc}/u.test(value) && !/[\\*]/.test(value) && value.isWellFormed() && /[\p{L}\p{N}]/u.test(value),
  );
const match = fc.oneof(
  text,
  fc
    .constantFrom(
      'no',
      'yes',
      'null',
      '~',
      '1.2',
      '12345',
      '0x1f',
      'a: b',
      '- x',
      '# x',
      'a, b',
      '"q"',
      "it's",
      '*@x',
      'a*b*',
      '\\*',
      '\u2028',
      '{x}',
      '&a',
      '!t',
      '%d',
      '@x',
      '`',
      'é',
      '👍',
      ' lead',
      'trail ',
      'a\u00a0b',
      '2027-01-01T00:00:00Z',
    )
    .filter((value) => value !== '\u2028'),
);
const mode = fc.constantFrom('enforce', 'shadow', 'off');
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const number = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.constantFrom(1, 9007199254740991));

const limit = fc.oneof(
  fc.record({
    algorithm: fc.constantFrom('fixed_window', 'sliding_window'),
    limit: fc.integer({ min: 0, max: 1000 }),
    window: fc.constantFrom('1ms', '1s', '90s', '5m', '2h', '30d'),
    mode: optional(mode),
  }),
  fc.record({
    algorithm: fc.constant('fixed_window'),
    limit: number,
    windowMs: fc.constantFrom(1, 999, 60_001),
  }),
  fc.record({
    algorithm: fc.constant('token_bucket'),
    limit: fc.integer({ min: 0, max: 99 }),
    window: fc.constant('1m'),
    burst: optional(fc.integer({ min: 1, max: 99 })),
  }),
);
const quota = fc.oneof(
  fc.record({
    limit: number,
    period: fc.constant('month'),
    timeZone: optional(fc.constantFrom('Europe/Paris', 'UTC')),
    anchor: optional(fc.constantFrom({ day: 31, time: '02:30' }, { day: 1 })),
  }),
  fc.record({ limit: number, period: fc.constantFrom('hour', 'day', 'never'), mode: optional(mode) }),
);

const time = fc
  .integer({ min: Date.UTC(2030, 0, 1), max: Date.UTC(2090, 0, 1) })
  .map((epochMs) => new Date(epochMs).toISOString());
const exception = { match, until: optional(time), reason: optional(fc.oneof(text, fc.constant(''))) };

const namespace = fc
  .record({
    ipv6Prefix: optional(fc.integer({ min: 1, max: 128 })),
    identifyBy: optional(fc.constantFrom('address', 'header:X-User', 'path', 'key')),
    onStoreFailure: optional(fc.constantFrom('open', 'closed', 'local')),
    mode: optional(mode),
    limits: fc.uniqueArray(
      limit.chain((said) => name.map((named) => ({ name: `l${named}`, ...said }))),
      { minLength: 1, maxLength: 3, selector: (said) => said.name },
    ),
    quotas: optional(fc.array(quota, { maxLength: 1 })),
    blocks: optional(
      fc.uniqueArray(fc.record(exception), { maxLength: 4, selector: (entry) => entry.match }),
    ),
    exemptions: optional(
      fc.uniqueArray(fc.record(exception), { maxLength: 2, selector: (entry) => entry.match }),
    ),
    overridden: optional(
      fc.uniqueArray(fc.record({ ...exception, limit: number }), {
        maxLength: 3,
        selector: (entry) => entry.match,
      }),
    ),
  })
  .map(({ overridden, limits, ...rest }) => ({
    ...rest,
    limits,
    overrides: overridden?.map(({ limit: _, ...entry }) => ({
      ...entry,
      limits: [{ name: limits[0]?.name, mode: 'off' }],
    })),
  }));

export const randomRules = fc
  .dictionary(name, namespace, { maxKeys: 4, noNullPrototype: true })
  .map(
    (namespaces) => JSON.parse(JSON.stringify({ project: 'shop', namespaces })) as Record<string, unknown>,
  );
