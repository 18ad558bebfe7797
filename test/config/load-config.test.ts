import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfigWithSettings } from '../../src/config/load-config.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { faultsOf, load } from './faults-of.ts';

test('without file and environment every setting has the default of the contract', () => {
  assert.deepEqual(load({}), {
    listen: { host: '127.0.0.1', port: 8600 },
    socket: null,
    adminSocket: '/run/brume/admin.sock',
    trustedProxies: ['127.0.0.0/8', '::1/128'],
    managementListen: { host: '127.0.0.1', port: 8610 },
    managementTlsCert: null,
    managementTlsKey: null,
    managementInsecure: false,
    managementOrigins: [],
    auditRetentionDays: 400,
    metricsToken: null,
    metricsAllow: ['127.0.0.0/8', '::1/128'],
    stateDir: '/var/lib/brume',
    databaseUrl: null,
    databaseListenUrl: null,
    redisUrl: null,
    redisUsername: null,
    redisPassword: null,
    redisTlsCa: null,
    redisTlsCert: null,
    redisTlsKey: null,
    redisSentinelUsername: null,
    redisSentinelPassword: null,
    redisSentinelTls: 'same',
    redisTimeoutMs: 50,
    sqlTimeoutMs: 5000,
    quotaCheckpointMs: 5000,
    usageWriteMs: 10_000,
    embeddedIdentifiersMax: 1_000_000,
    localIdentifiersMax: 100_000,
    keyLookupTimeoutMs: 250,
    keyCacheMs: 60_000,
    unknownKeyCacheMs: 5000,
    propagationMs: 1000,
    snapshotMaxAge: 604_800_000,
    bodyMaxBytes: 65_536,
    batchBodyMaxBytes: 1_048_576,
    headersMaxBytes: 16_384,
    headerTimeoutMs: 5000,
    requestTimeoutMs: 10_000,
    keepAliveMs: 75_000,
    connectionsMax: 10_000,
    drainMs: 30_000,
    addressRate: 100,
    addressBurst: 1000,
    addressIpv6Prefix: 64,
    actorRate: null,
    actorBurst: null,
    managementUrl: null,
    sessionMs: 43_200_000,
    clockToleranceMs: 30_000,
    oidcIssuer: null,
    oidcJwksUrl: null,
    oidcAlgorithms: ['RS256', 'ES256', 'EdDSA', 'PS256'],
    headersXRatelimit: true,
    headersRatelimit: true,
    headersRetryAfter: true,
    logLevel: 'info',
    accessLog: { mode: 'sample', oneIn: 100 },
    logIdentifiers: false,
    metricsChronosdbNames: false,
    topIdentifiers: true,
    otlpEndpoint: null,
    otlpHeaders: null,
    traceSample: 0.01,
    objectiveRecoveredMs: 5000,
    objectiveLost: 0,
    objectiveAboveLimit: null,
    objectiveSlowestMs: 1000,
  });
});

test('the configuration is frozen to the bottom', () => {
  const config = load({});
  for (const part of [config, config.listen, config.trustedProxies, config.accessLog]) {
    assert.ok(Object.isFrozen(part));
  }
});

test('the environment wins over the file', (t) => {
  const file = join(temporaryDirectory(t), 'brume.conf');
  writeFileSync(file, 'BRUME_DRAIN_MS=1\nBRUME_LOG_LEVEL=debug\n');
  const { config, settings } = loadConfigWithSettings({ env: { BRUME_DRAIN_MS: '2' }, file });
  assert.equal(config.drainMs, 2);
  assert.equal(config.logLevel, 'debug');
  const sources = Object.fromEntries(settings.map(({ variable, source }) => [variable, source]));
  assert.equal(sources.BRUME_DRAIN_MS, 'environment');
  assert.equal(sources.BRUME_LOG_LEVEL, `${file}, line 2`);
  assert.equal(sources.BRUME_LISTEN, 'default');
});

test('the default file may be absent; a file that was named must exist and be readable text', (t) => {
  const directory = temporaryDirectory(t);
  const binary = join(directory, 'binary');
  writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x00]));
  mkdirSync(join(directory, 'folder'));
  assert.equal(load({}, { defaultFile: join(directory, 'absent') }).drainMs, 30_000);
  const cases = { absent: /does not exist/, folder: /directory/, binary: /not UTF-8/ };
  for (const [name, problem] of Object.entries(cases)) {
    const [fault] = faultsOf({}, { file: join(directory, name) });
    assert.match(fault?.problem ?? '', problem);
    assert.equal(fault?.where, join(directory, name));
  }
});

test('an unknown variable is refused with the nearest name, in the environment and in the file', (t) => {
  const file = join(temporaryDirectory(t), 'brume.conf');
  writeFileSync(file, 'REDIS_URL=redis://secret-host\nBRUME_DRAINMS=1\nPATH=/bin\n');
  const faults = faultsOf(
    { BRUME_LISTN: 'x', BRUME_TRUST_PROXY: '1', BRUME_ZZZZZZZZ: '1', OTHER: '1' },
    { file },
  );
  assert.deepEqual(
    faults.map(({ variable, remedy }) => `${variable}: ${remedy}`),
    [
      'REDIS_URL: The nearest name is BRUME_REDIS_URL',
      'BRUME_DRAINMS: The nearest name is BRUME_DRAIN_MS',
      'PATH: Remove it; docs/configuration.md lists all',
      'BRUME_LISTN: The nearest name is BRUME_LISTEN',
      'BRUME_TRUST_PROXY: The nearest name is BRUME_TRUSTED_PROXIES',
      'BRUME_ZZZZZZZZ: Remove it; docs/configuration.md lists all',
    ],
  );
});

test('every fault is listed at once, with its variable, its place and what would be right', (t) => {
  const file = join(temporaryDirectory(t), 'brume.conf');
  writeFileSync(file, '\nBRUME_LOG_LEVEL=loud\nnonsense\nBRUME_KEEP_ALIVE_MS=\n');
  const faults = faultsOf(
    { BRUME_DRAIN_MS: '10s', BRUME_ADMIN: 'x', BRUME_HEADER_TIMEOUT_MS: '20000' },
    { file },
  );
  assert.deepEqual(
    faults.map(({ variable, where }) => [variable, where]),
    [
      [null, `${file}, line 3`],
      ['BRUME_ADMIN', 'environment'],
      ['BRUME_KEEP_ALIVE_MS', `${file}, line 4`],
      ['BRUME_DRAIN_MS', 'environment'],
      ['BRUME_LOG_LEVEL', `${file}, line 2`],
      ['BRUME_HEADER_TIMEOUT_MS', 'environment'],
    ],
  );
  const { message, exitCode } = new ConfigError(faults);
  assert.equal(exitCode, 78);
  assert.match(message, /^The configuration has 6 faults:\n/);
  assert.ok(
    message.includes(
      `BRUME_LOG_LEVEL (${file}, line 2): "loud" is not one of them. Expected: error, warn, info or debug (default: info).`,
    ),
  );
});

test('settings that are right alone and wrong together are refused', () => {
  const names = (env: Record<string, string>) => faultsOf(env).map(({ variable }) => variable);
  assert.deepEqual(names({ BRUME_LISTEN: 'off' }), ['BRUME_LISTEN']);
  assert.deepEqual(names({ BRUME_LISTEN: 'off', BRUME_SOCKET: '/run/b.sock' }), []);
  assert.deepEqual(names({ BRUME_SOCKET: '/run/brume/./admin.sock' }), ['BRUME_SOCKET']);
  assert.deepEqual(names({ BRUME_REQUEST_TIMEOUT_MS: '4999' }), ['BRUME_HEADER_TIMEOUT_MS']);
});
