import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../../src/config/config-error.ts';
import { loadConfigWithSettings } from '../../src/config/load-config.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { faultsOf, load } from './faults-of.ts';

const URL_TEXT = 'postgres://brume:hunter2@db.internal/brume';

test('a secret is read from the file that …_FILE names, without its last line end', (t) => {
  const path = join(temporaryDirectory(t), 'url');
  writeFileSync(path, `${URL_TEXT}\n`);
  assert.equal(load({ BRUME_DATABASE_URL_FILE: path }).databaseUrl, URL_TEXT);
});

test('a secret is read from the systemd credential of its name; other credentials are left alone', (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'brume_database_url'), URL_TEXT);
  writeFileSync(join(directory, 'other'), 'x');
  const config = load({ CREDENTIALS_DIRECTORY: directory });
  assert.equal(config.databaseUrl, URL_TEXT);
  assert.equal(config.redisUrl, null);
});

test('a secret that is given in two ways is refused', (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'brume_database_url');
  const file = join(directory, 'brume.conf');
  writeFileSync(path, URL_TEXT);
  writeFileSync(file, `BRUME_DATABASE_URL=${URL_TEXT}\n`);
  const ways = [
    faultsOf({ BRUME_DATABASE_URL: URL_TEXT, BRUME_DATABASE_URL_FILE: path }),
    faultsOf({ BRUME_DATABASE_URL: URL_TEXT, CREDENTIALS_DIRECTORY: directory }),
    faultsOf({ BRUME_DATABASE_URL_FILE: path, CREDENTIALS_DIRECTORY: directory }),
    faultsOf({ BRUME_DATABASE_URL_FILE: path }, { file }),
  ];
  for (const faults of ways) {
    assert.equal(faults.length, 1);
    assert.equal(faults[0]?.problem, 'it is given in 2 ways at once');
    assert.ok(!JSON.stringify(faults).includes('hunter2'));
  }
});

test('a secret whose file is absent, empty, a directory or named relatively is refused', (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'empty'), '\n');
  const paths = { absent: /does not exist/, empty: /is empty/, '.': /can't be read/ };
  for (const [name, problem] of Object.entries(paths)) {
    const [fault] = faultsOf({ BRUME_REDIS_URL_FILE: `${directory}/${name}` });
    assert.equal(fault?.variable, 'BRUME_REDIS_URL_FILE');
    assert.match(fault?.problem ?? '', problem);
  }
  assert.match(faultsOf({ BRUME_REDIS_URL_FILE: 'url' })[0]?.problem ?? '', /absolute path/);
  assert.match(faultsOf({ BRUME_REDIS_URL_FILE: ' ' })[0]?.problem ?? '', /is empty/);
  mkdirSync(join(directory, 'brume_redis_url'));
  assert.match(faultsOf({ CREDENTIALS_DIRECTORY: directory })[0]?.problem ?? '', /can't be read/);
});

test('the URL of the database is PostgreSQL', () => {
  const isTaken = (text: string) => faultsOf({ BRUME_DATABASE_URL: text }).length === 0;
  for (const text of [
    URL_TEXT,
    'postgresql://h:5432/d?sslmode=require',
    'postgresql:///brume?host=/run/postgresql',
  ]) {
    assert.ok(isTaken(text), text);
  }
  for (const text of [
    'mysql://h/d',
    'h:5432',
    'postgres:/h',
    'postgres://',
    'postgres:///brume',
    'postgres://h/d?sslmode=bogus',
    'postgres://h/d?sslmode=',
    'postgres://u:p%zz@h/d',
    'postgres://u:p%ff@h/d',
    'postgres://h/100%',
    '/run/postgresql',
    'postgres://u:p#w@h/d:x',
    'postgres://h/a b',
  ]) {
    assert.ok(!isTaken(text), text);
  }
});

test('the URL of Redis is TCP, TLS or a socket', () => {
  const isTaken = (text: string) => faultsOf({ BRUME_REDIS_URL: text }).length === 0;
  for (const text of [
    'redis://h',
    'redis://:p%23w@h:6379/3',
    'rediss://u:p@h:6380',
    'unix:///run/redis/redis.sock',
  ]) {
    assert.ok(isTaken(text), text);
  }
  for (const text of [
    'h:6379',
    'http://h',
    'redis://',
    'redis://h/name',
    'redis://u:p#w@h',
    'unix://run/r.sock',
    'unix:///',
  ]) {
    assert.ok(!isTaken(text), text);
  }
});

test('no fault shows a secret, however it is wrong', () => {
  const wrong = [
    'hunter2',
    'mysql://u:hunter2@h',
    'postgres://u:hun#hunter2@h:x',
    'redis://:hunter2@',
    ' hunter2\n',
    'unix://hunter2',
  ];
  for (const variable of ['BRUME_DATABASE_URL', 'BRUME_REDIS_URL']) {
    for (const text of wrong) {
      const faults = faultsOf({ [variable]: text });
      assert.equal(faults[0]?.variable, variable);
      assert.ok(!new ConfigError(faults).message.includes('hunter2'));
    }
  }
  const [misplaced] = faultsOf({ BRUME_LISTEN: 'redis://:hunter2@h' });
  assert.ok(!misplaced?.problem.includes('hunter2'));
});

test('the settings that are shown hold no secret', () => {
  const { settings } = loadConfigWithSettings({
    env: { BRUME_DATABASE_URL: URL_TEXT },
    defaultFile: '/nonexistent',
  });
  assert.ok(!JSON.stringify(settings).includes('hunter2'));
  const shown = settings.find(({ variable }) => variable === 'BRUME_DATABASE_URL');
  assert.deepEqual(shown, {
    variable: 'BRUME_DATABASE_URL',
    text: null,
    isSecret: true,
    source: 'environment',
  });
});
