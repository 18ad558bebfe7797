import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { version } from '../../src/version.ts';
import { runBrume, startBrume } from '../support/brume-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('version is that of package.json', async () => {
  assert.deepEqual(await runBrume({}, 'version'), { exitCode: 0, stdout: `brume ${version}\n`, stderr: '' });
  assert.deepEqual(JSON.parse((await runBrume({}, 'version', '--json')).stdout), { version });
  assert.equal((await runBrume({}, '--version')).stdout, `${version}\n`);
});

test('B19: serve, check-config and migrate refuse a wrong configuration with exit code 78', async () => {
  const wrong = { BRUME_DRAIN_MS: ' ', BRUME_LOG_IDENTIFIERS: 'TRUE', BRUME_REDIS_URL: 'http://:hunter2@h' };
  for (const command of ['serve', 'check-config', 'migrate']) {
    const { exitCode, stdout, stderr } = await runBrume(wrong, command);
    assert.equal(exitCode, 78, command);
    const logged = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    // The log of serve is where whoever looks after Brume looks; the others have none.
    assert.deepEqual(
      logged.map(({ level, variable }) => [level, variable]),
      command === 'serve'
        ? ['BRUME_DRAIN_MS', 'BRUME_REDIS_URL', 'BRUME_LOG_IDENTIFIERS'].map((variable) => [
            'error',
            variable,
          ])
        : [],
    );
    for (const variable of Object.keys(wrong)) assert.ok(stderr.includes(variable), stderr);
    assert.ok(!`${stdout}${stderr}`.includes('hunter2'));
  }
});

test('check-config with --json lists the faults on standard output', async (t) => {
  const file = join(temporaryDirectory(t), 'brume.conf');
  writeFileSync(file, 'BRUME_DRAIN_MS=10s\nBRUME_LISTN=x\n');
  const { exitCode, stdout, stderr } = await runBrume({}, 'check-config', '--json', '--config', file);
  assert.equal(exitCode, 78);
  assert.equal(stderr, '');
  const { valid, faults } = JSON.parse(stdout);
  assert.equal(valid, false);
  assert.deepEqual(
    faults.map(({ variable }: { variable: string }) => variable),
    ['BRUME_LISTN', 'BRUME_DRAIN_MS'],
  );
});

test('check-config shows every setting and its source, and no secret', async () => {
  const settings = { BRUME_DRAIN_MS: '7', BRUME_DATABASE_URL: 'postgres://u:hunter2@h/d' };
  const { exitCode, stdout } = await runBrume(settings, 'check-config');
  assert.equal(exitCode, 0);
  assert.match(stdout, /^BRUME_DRAIN_MS +7 +environment$/m);
  assert.match(stdout, /^BRUME_DATABASE_URL +\(set, not shown\) +environment$/m);
  assert.match(stdout, /^BRUME_REDIS_URL +\(not set\) +default$/m);
  assert.ok(!stdout.includes('hunter2'));
});

test('a configuration file that was named must exist', async () => {
  const { exitCode, stderr } = await runBrume({}, 'check-config', '--config', '/nonexistent/brume.conf');
  assert.equal(exitCode, 78);
  assert.match(stderr, /\/nonexistent\/brume\.conf: the file does not exist/);
});

test('migrate brings an empty store up to date, and changes nothing the second time', async (t) => {
  const settings = { BRUME_STATE_DIR: temporaryDirectory(t) };
  const first = await runBrume(settings, 'migrate', '--json');
  assert.equal(first.exitCode, 0, first.stderr);
  assert.notDeepEqual(JSON.parse(first.stdout).applied, []);
  const second = await runBrume(settings, 'migrate');
  const { BRUME_STATE_DIR: directory } = settings;
  const stores = [
    `Stores: the embedded database in ${directory} (BRUME_DATABASE_URL is not set);`,
    `embedded counters in ${directory} (BRUME_REDIS_URL is not set).`,
  ];
  const stdout = `The schema is up to date.\n${stores.join(' ')}\n`;
  assert.deepEqual(second, { exitCode: 0, stdout, stderr: '' });
});

test('migrate tells why a store can’t be used, with exit code 1 and without a stack', async (t) => {
  const file = join(temporaryDirectory(t), 'file');
  writeFileSync(file, '');
  const url = 'postgres://u:hunter2@127.0.0.1:1/d';
  for (const settings of [{ BRUME_STATE_DIR: join(file, 'x') }, { BRUME_DATABASE_URL: url }]) {
    const { exitCode, stdout, stderr } = await runBrume(settings, 'migrate');
    assert.equal(exitCode, 1);
    assert.equal(stdout, '');
    assert.ok(!stderr.includes('hunter2') && !stderr.includes('    at '), stderr);
  }
});

test('the command line manages a running Brume over its admin socket', async () => {
  const brume = await startBrume();
  try {
    const exitCodeOf = async (...args: string[]) => (await brume.run(...args)).exitCode;
    assert.equal(await exitCodeOf('project', 'create', 'shop'), 0);
    assert.equal(await exitCodeOf('project', 'create', 'shop'), 1);
    assert.equal(await exitCodeOf('project', 'create', 'No Name'), 1);
    assert.equal(await exitCodeOf('project', 'show', 'other'), 1);
    assert.equal(await exitCodeOf('project', 'show', '..'), 1);
    assert.equal(
      await exitCodeOf('namespace', 'create', 'shop', 'login', '--limit', '2', '--window', '1d'),
      0,
    );
    const outcomes = [];
    for (let index = 0; index < 3; index += 1) outcomes.push(await exitCodeOf('limit', 'shop', 'login', 'ü'));
    assert.deepEqual(outcomes, [0, 0, 1]);
    assert.equal(await exitCodeOf('peek', 'shop', 'login', 'ü'), 1);
    assert.equal(await exitCodeOf('limit', 'shop', 'login', '--', '-x'), 0);
    assert.equal(await exitCodeOf('namespace', 'update', 'shop', 'login', '--limit', '3'), 0);
    assert.equal(await exitCodeOf('peek', 'shop', 'login', 'ü'), 0);

    const created = Object(await brume.json('key', 'create', 'shop', 'backend'));
    assert.match(created.key, /^brume_sk_/);
    const answer = await fetch(`${brume.url}/v1/limit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': created.key },
      body: JSON.stringify({ namespace: 'login', identifier: 'z' }),
    });
    assert.equal(answer.status, 200);
    assert.equal(await exitCodeOf('key', 'revoke', 'shop', created.id), 0);
    const { items } = Object(await brume.json('key', 'list', 'shop'));
    assert.notEqual(items[0].revokedAt, null);
    assert.ok(!JSON.stringify(items).includes(created.key));

    assert.equal(await exitCodeOf('namespace', 'delete', 'shop', 'login'), 2);
    assert.equal(await exitCodeOf('namespace', 'delete', 'shop', 'login', '--yes'), 0);
    assert.equal(await exitCodeOf('project', 'delete', 'shop', '--yes'), 0);
    assert.deepEqual(await brume.json('project', 'list'), { items: [] });
    assert.match(brume.log(), /"author":"local:(?!unknown)/);
  } finally {
    assert.equal(await brume.stop(), 0);
  }
});

test('ps and top show the process as brume, with its command line as it was given', async () => {
  const brume = await startBrume();
  try {
    assert.equal(readFileSync(`/proc/${brume.pid}/comm`, 'utf8'), 'brume\n');
    assert.equal(readFileSync(`/proc/${brume.pid}/cmdline`, 'utf8').split('\0').at(-2), 'serve');
  } finally {
    await brume.stop();
  }
});

test('a full standard output is one line on standard error, and exit code 1', (t) => {
  const full = openSync('/dev/full', 'w');
  t.after(() => closeSync(full));
  const main = join(import.meta.dirname, '../../src/main.ts');
  const { status, stderr } = spawnSync(process.execPath, [main, 'version'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /^brume: Standard output can't be written: ENOSPC.*\n$/);
});

test('an argument that is not UTF-8 is refused: it would be read as another identifier', async () => {
  const main = join(import.meta.dirname, '../../src/main.ts');
  // Only a shell can hand over bytes that are no text.
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `"$1" "$2" limit p n "$(printf 'a\\377')"`, 'sh', process.execPath, main],
    { encoding: 'utf8' },
  );
  assert.equal(status, 2);
  assert.match(stderr, /^brume: Argument 4 is not UTF-8/);
});

test('an empty --socket is refused as such', async () => {
  const { exitCode, stderr } = await runBrume({}, 'project', 'list', '--socket', '');
  assert.equal(exitCode, 2);
  assert.match(stderr, /--socket.*It is empty\./s);
});
