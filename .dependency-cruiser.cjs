/**
 * The import rules of the house: which room may import which. docs/architecture.md has the table in
 * words. Files that every room may use: src/errors/, src/assets.ts, src/version.ts.
 */
const SHARED = '^src/(errors/|assets\\.ts$|version\\.ts$)';

/** Room: its path, and the rooms that it may import (besides itself and the shared files). */
const ROOMS = {
  entry: ['^src/main\\.ts$', ['^src/(cli/|sealed-environment\\.ts$)']],
  // Of tenancy its words: kinds and scopes of an API key, roles.
  cli: [
    '^src/cli/',
    ['^src/(appliance|operations|client|policy|config)/', '^src/tenancy/(api-key|role)\\.ts$'],
  ],
  // Of config how certificates are read.
  operations: [
    '^src/operations/',
    ['^src/(client|stores|policy|tenancy)/', '^src/config/certificates\\.ts$'],
  ],
  config: ['^src/config/', []],
  'planes-hooks': ['^src/planes/hooks/', ['^src/(limiter|policy|tenancy|gateway|telemetry)/']],
  'planes-data': [
    '^src/planes/data/',
    ['^src/(limiter|policy|tenancy|gateway|telemetry)/', '^src/planes/hooks/'],
  ],
  'planes-management': [
    '^src/planes/management/',
    ['^src/(limiter|policy|tenancy|gateway|telemetry)/', '^src/planes/hooks/'],
  ],
  // The admin socket mounts the management routes.
  'planes-admin': [
    '^src/planes/admin/',
    ['^src/(limiter|policy|tenancy|gateway|telemetry)/', '^src/planes/(hooks|management)/'],
  ],
  grpc: ['^src/grpc/', ['^src/(limiter|policy|tenancy|telemetry)/']],
  limiter: ['^src/limiter/', []],
  // Of tenancy who did it, for the record.
  policy: ['^src/policy/', ['^src/limiter/', '^src/tenancy/actor\\.ts$']],
  tenancy: ['^src/tenancy/', []],
  // Who signs in, and by what: passwords and tokens.
  identity: ['^src/identity/', ['^src/tenancy/']],
  gateway: ['^src/gateway/', ['^src/(limiter|telemetry)/']],
  stores: ['^src/stores/', ['^src/(limiter|policy|tenancy|telemetry)/']],
  telemetry: ['^src/telemetry/', []],
  client: ['^src/client/', []],
};

const roomRules = Object.entries(ROOMS).map(([room, [path, mayImport]]) => ({
  name: `room-${room}`,
  severity: 'error',
  from: { path },
  to: { path: '^src/', pathNot: [path, SHARED, ...mayImport] },
}));

/** A library that only one folder may know. */
function onlyIn(folder, library) {
  return {
    name: `only-${folder.replaceAll(/\W+/g, '-')}-knows-${library.replaceAll(/\W+/g, '-')}`,
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/${folder}/` },
    to: { path: `(^|node_modules/)(@types/)?${library}(/|$)` },
  };
}

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'appliance-knows-no-cli',
      severity: 'error',
      from: { path: '^src/appliance/' },
      to: { path: '^src/(cli/|main\\.ts$)' },
    },
    {
      name: 'shared-files-import-nothing',
      comment: 'src/errors/ and src/assets.ts stand alone; src/version.ts reads an asset.',
      severity: 'error',
      from: { path: SHARED },
      to: { path: '^src/', pathNot: ['^src/errors/', '^src/assets\\.ts$'] },
    },
    {
      name: 'policy-takes-types-from-limiter',
      comment: 'Values only from the vocabulary of limits: algorithms, calendars, bounds, failure policies.',
      severity: 'error',
      from: { path: '^src/policy/' },
      to: {
        path: '^src/limiter/',
        pathNot: '^src/limiter/(limit|calendar|degradation)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'limiter-is-pure',
      comment: 'Of Node.js only hashing, and no library but that of time zones.',
      severity: 'error',
      from: { path: '^src/limiter/' },
      to: { pathNot: '^(src/|(node:)?crypto$|node_modules/temporal-polyfill/)' },
    },
    {
      name: 'the-client-stands-alone',
      comment: 'It is to be published on its own.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: SHARED },
    },
    onlyIn('stores/sql', 'pg'),
    onlyIn('stores/sql', '(node:)?sqlite'),
    onlyIn('stores/redis', 'ioredis'),
    onlyIn('config', 'env-schema'),
    onlyIn('cli', 'commander'),
    onlyIn('identity', 'jose'),
    onlyIn('telemetry/tracing', '@opentelemetry'),
    {
      name: 'acceptance-is-a-black-box',
      comment: 'HTTP and the command line only.',
      severity: 'error',
      from: { path: '^test/acceptance/' },
      to: { path: '^src/' },
    },
    {
      name: 'product-imports-product',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts)/' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-development-dependency-in-the-product',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    builtInModules: { add: ['node:sqlite', 'node:sea', 'node:test'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
