import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingsOf } from '../../src/cli/by-hand/service-settings.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import type { Environment } from '../../src/config/environment.ts';
import { loadConfigWithSettings } from '../../src/config/load-config.ts';
import { type ServiceUnit, serviceUnitOf } from '../../src/operations/installed/service-unit.ts';
import { propertiesIn, wordsIn } from '../../src/operations/installed/unit-properties.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NOTHING: ServiceUnit = serviceUnitOf(propertiesIn(''), '');
const loaded = (...names: string[]) => names.map((name) => ({ name, source: name }));

function secretIn(directory: string, name: string, text: string): string {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), `${text}\n`, { mode: 0o600 });
  return directory;
}

/** What a command by hand goes by, with nothing in the configuration file. */
function byHand(unit: Partial<ServiceUnit>, stores: string[], env: Environment = {}) {
  const service = settingsOf({ ...NOTHING, ...unit }, { stores, encrypted: stores });
  const { config, settings } = loadConfigWithSettings({ env, defaultFile: '/nonexistent', service });
  const sourceOf = (name: string) => settings.find(({ variable }) => variable === name)?.source;
  return { config, sourceOf };
}

function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return 'no fault';
}

test('a command by hand takes the credentials and variables that the unit gives the service', (t) => {
  const directory = temporaryDirectory(t);
  const store = secretIn(directory, 'brume_database_url', 'postgres://db.internal/brume');
  const elsewhere = join(secretIn(join(directory, 'other'), 'redis', 'redis://redis.internal'), 'redis');
  const { config, sourceOf } = byHand(
    {
      credentials: [...loaded('brume_database_url'), { name: 'brume_redis_url', source: elsewhere }],
      environment: [
        ['BRUME_DRAIN_MS', '7'],
        ['LANG', 'C'],
      ],
    },
    [join(directory, 'absent'), store],
  );
  assert.equal(config.databaseUrl, 'postgres://db.internal/brume');
  assert.equal(config.redisUrl, 'redis://redis.internal');
  assert.equal(config.drainMs, 7);
  assert.match(sourceOf('BRUME_DATABASE_URL') ?? '', /^systemd credential brume_database_url, read from \//);
  assert.equal(sourceOf('BRUME_DRAIN_MS'), 'Environment= of brume@.service');
});

test('what the unit reads from files of variables counts, over Environment=, and its faults too', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'brume.env');
  writeFileSync(path, 'BRUME_DRAIN_MS=9\nOTHER=1\n');
  const environmentFiles = [{ path, mayBeAbsent: false }];
  const { config } = byHand({ environment: [['BRUME_DRAIN_MS', '7']], environmentFiles }, []);
  assert.equal(config.drainMs, 9);
  const absent = [{ path: `${path}.absent`, mayBeAbsent: false }];
  assert.match(
    faultOf(() => byHand({ environmentFiles: absent }, [])),
    /brume\.env\.absent: the file does not exist/,
  );
  const wrong: ServiceUnit['environment'] = [['BRUME_DRAIN', '7']];
  assert.match(
    faultOf(() => byHand({ environment: wrong }, [])),
    /BRUME_DRAIN \(Environment= of brume@\.service\): there is no such setting/,
  );
});

test('what whoever runs the command gives stands in place of what the service is given', (t) => {
  const directory = temporaryDirectory(t);
  const store = secretIn(directory, 'brume_redis_url', 'redis://redis.internal');
  const file = join(secretIn(directory, 'url', 'redis://by.file'), 'url');
  const unit = { credentials: loaded('brume_redis_url') };
  const own = (env: Environment) => byHand(unit, [store], env).config.redisUrl;
  assert.equal(own({ BRUME_REDIS_URL: 'redis://own' }), 'redis://own');
  assert.equal(own({ BRUME_REDIS_URL_FILE: file }), 'redis://by.file');
  const handed = secretIn(join(directory, 'handed'), 'brume_redis_url', 'redis://handed');
  assert.equal(own({ CREDENTIALS_DIRECTORY: handed }), 'redis://handed');
  // One that systemd handed something else still has the rest.
  assert.equal(
    own({ CREDENTIALS_DIRECTORY: secretIn(join(directory, 'empty'), 'x', 'y') }),
    'redis://redis.internal',
  );
});

test('an encrypted credential is no embedded store: the command refuses, and says who can open it', (t) => {
  const directory = temporaryDirectory(t);
  const store = secretIn(directory, 'brume_database_url', 'sealed');
  const unit = { encryptedCredentials: loaded('brume_database_url', 'brume_redis_url') };
  const fault = faultOf(() => byHand(unit, [store]));
  assert.match(fault, /1 fault:\n.*BRUME_DATABASE_URL .*encrypted.*systemd-run .*=brume_database_url brume/);
  const set = { setCredentials: ['brume_database_url'] };
  assert.match(
    faultOf(() => byHand(set, [])),
    /BRUME_DATABASE_URL .*systemd-run/,
  );
  const handed = secretIn(join(directory, 'handed'), 'brume_database_url', 'postgres://handed/brume');
  const { config } = byHand(unit, [store], { CREDENTIALS_DIRECTORY: handed });
  assert.equal(config.databaseUrl, 'postgres://handed/brume');
});

test('a directory or a pipe in place of a credential is a fault, and neither no secret nor waited for', (t) => {
  const store = temporaryDirectory(t);
  mkdirSync(join(store, 'brume_redis_url'));
  execFileSync('mkfifo', [join(store, 'brume_database_url')]);
  const unit = { credentials: loaded('brume_redis_url', 'brume_database_url') };
  const fault = faultOf(() => byHand(unit, [store]));
  assert.match(fault, /2 faults:/);
  assert.match(
    fault,
    /BRUME_REDIS_URL \(systemd credential .*brume_redis_url\): it is a directory, and systemd/,
  );
  assert.match(
    fault,
    /BRUME_DATABASE_URL \(systemd credential .*brume_database_url\): it is a pipe, and systemd/,
  );
  // What stands in its place does.
  const own = { BRUME_REDIS_URL: 'redis://own', BRUME_DATABASE_URL: 'postgres://own/brume' };
  assert.equal(byHand(unit, [store], own).config.redisUrl, 'redis://own');

  // By its path a directory is given as its files, none of which has the name of the setting.
  const directory = join(store, 'brume_redis_url');
  secretIn(directory, 'url', 'redis://by.directory');
  const named = (name: string) => ({ credentials: [{ name, source: directory }] });
  assert.equal(byHand(named('brume_redis'), []).config.redisUrl, 'redis://by.directory');
  assert.match(
    faultOf(() => byHand(named('brume_redis_url'), [])),
    /BRUME_REDIS_URL .*: it is a directory/,
  );
});

test('a unit is read as systemctl shows it', () => {
  const unit = serviceUnitOf(
    propertiesIn(
      [
        'LoadState=loaded',
        'User=brume',
        'SupplementaryGroups=redis postgres',
        'Environment=BRUME_A=1 "BRUME_B=a b" "BRUME_C=\\"x\\\\y"',
        'EnvironmentFiles=/etc/default/brume (ignore_errors=yes)',
        'EnvironmentFiles=/etc/a b (ignore_errors=no)',
      ].join('\n'),
    ),
    [
      '# /usr/lib/systemd/system/brume@.service',
      '[Service]',
      'LoadCredential=brume_old',
      'LoadCredential=',
      'LoadCredential=brume_redis_url',
      'LoadCredential=brume_database_url',
      '#LoadCredential=brume_metrics_token',
      '# /etc/systemd/system/brume@.service.d/override.conf',
      'LoadCredential=brume_database_url:/etc/brume/a:b',
      'LoadCredentialEncrypted = brume_redis_password:\\',
      '/etc/sealed',
      'SetCredential=brume_metrics_token:x',
    ].join('\n'),
  );
  assert.deepEqual(unit, {
    user: 'brume',
    groups: ['redis', 'postgres'],
    environment: [
      ['BRUME_A', '1'],
      ['BRUME_B', 'a b'],
      ['BRUME_C', '"x\\y'],
    ],
    environmentFiles: [
      { path: '/etc/default/brume', mayBeAbsent: true },
      { path: '/etc/a b', mayBeAbsent: false },
    ],
    credentials: [
      { name: 'brume_redis_url', source: 'brume_redis_url' },
      { name: 'brume_database_url', source: '/etc/brume/a:b' },
    ],
    encryptedCredentials: [{ name: 'brume_redis_password', source: '/etc/sealed' }],
    setCredentials: ['brume_metrics_token'],
  });
  assert.deepEqual(wordsIn(''), []);
});
