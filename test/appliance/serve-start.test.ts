import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { runBrume, startBrume } from '../support/brume-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Runs `serve`, which must fail to start; gives its last log line. */
async function failedStart(settings: Record<string, string>): Promise<Record<string, unknown>> {
  const { exitCode, stdout } = await runBrume(settings, 'serve');
  assert.equal(exitCode, 1, stdout);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

function settingsIn(t: TestContext): Record<string, string> {
  const home = temporaryDirectory(t);
  return {
    BRUME_LISTEN: '127.0.0.1:0',
    BRUME_MANAGEMENT_LISTEN: 'off',
    BRUME_ADMIN_SOCKET: join(home, 'admin.sock'),
    BRUME_STATE_DIR: home,
  };
}

test('a port in use ends the start with the variable and the address', async (t) => {
  const first = await startBrume();
  t.after(() => first.stop());
  const line = await failedStart({ ...settingsIn(t), BRUME_LISTEN: String(first.settings.BRUME_LISTEN) });
  assert.equal(line.level, 'fatal');
  assert.equal(
    line.msg,
    `Brume can't start: BRUME_LISTEN: ${first.settings.BRUME_LISTEN} is in use by another process`,
  );
});

test('a socket on which another Brume listens is left alone, and ends the start', async (t) => {
  const first = await startBrume();
  t.after(() => first.stop());
  const socketPath = String(first.settings.BRUME_ADMIN_SOCKET);
  const line = await failedStart({ ...settingsIn(t), BRUME_ADMIN_SOCKET: socketPath });
  assert.match(
    String(line.msg),
    /BRUME_ADMIN_SOCKET: another process listens on .*admin\.sock; is Brume running/,
  );
  assert.deepEqual(await askAdmin(socketPath, 'GET', '/v1/projects'), { items: [], next: null });
});

test('a second Brume on the same state directory is refused', async (t) => {
  const first = await startBrume();
  t.after(() => first.stop());
  const line = await failedStart({
    ...settingsIn(t),
    BRUME_STATE_DIR: String(first.settings.BRUME_STATE_DIR),
  });
  assert.match(String(line.msg), /^Brume can't start: /);
  assert.match(String(line.msg), new RegExp(String(first.settings.BRUME_STATE_DIR)));
});

test('the directory of the admin socket is created, for all to enter', async (t) => {
  const home = temporaryDirectory(t);
  const adminSocket = join(home, 'run', 'brume', 'admin.sock');
  const brume = await startBrume({ BRUME_ADMIN_SOCKET: adminSocket });
  t.after(() => brume.stop());
  assert.equal(statSync(join(home, 'run', 'brume')).mode & 0o777, 0o755 & ~process.umask());
  assert.deepEqual(await askAdmin(adminSocket, 'GET', '/v1/projects'), { items: [], next: null });
});

test('a socket that can have no directory ends the start before anything is created, and stderr says so', async (t) => {
  const settings = settingsIn(t);
  const home = String(settings.BRUME_STATE_DIR);
  writeFileSync(join(home, 'a-file'), '');
  const { exitCode, stderr } = await runBrume(
    {
      ...settings,
      BRUME_STATE_DIR: join(home, 'state'),
      BRUME_ADMIN_SOCKET: join(home, 'a-file', 'admin.sock'),
    },
    'serve',
  );
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /^brume: Brume can't start: BRUME_ADMIN_SOCKET: .*a-file \(E\w+\): create the directory/,
  );
  assert.deepEqual(readdirSync(home), ['a-file']);
});

test('after a kill the socket that was left is replaced, and what was acknowledged is there', async (t) => {
  const home = temporaryDirectory(t);
  const killed = await startBrume({}, home);
  t.after(() => killed.stop('SIGKILL'));
  await createTenant(join(home, 'admin.sock'), 'shop', {});
  await killed.stop('SIGKILL');
  const next = await startBrume({}, home);
  t.after(() => next.stop());
  const { items } = (await askAdmin(join(home, 'admin.sock'), 'GET', '/v1/projects')) as {
    items: { name: string }[];
  };
  assert.deepEqual(
    items.map(({ name }) => name),
    ['shop'],
  );
});

test('PostgreSQL away at the start ends it with the variable, and without the password', async (t) => {
  const url = 'postgres://brume:hunter2@127.0.0.1:1/brume';
  const line = await failedStart({ ...settingsIn(t), BRUME_DATABASE_URL: url });
  assert.match(String(line.msg), /BRUME_DATABASE_URL: PostgreSQL does not answer: .*ECONNREFUSED/);
  assert.equal(JSON.stringify(line).includes('hunter2'), false);
});

test('B16: 1000 parallel requests on a namespace with limit 0 are all denied, none fails', async (t) => {
  const brume = await startBrume();
  t.after(() => brume.stop());
  const rules = Object.fromEntries(
    ['fixed_window', 'sliding_log', 'gcra'].map((algorithm) => [
      algorithm,
      { limits: [{ algorithm, limit: 0, windowMs: 60_000 }] },
    ]),
  );
  const key = await createTenant(String(brume.settings.BRUME_ADMIN_SOCKET), 'shop', rules);
  const namespaces = Object.keys(rules);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const namespace = namespaces[index % namespaces.length];
      const response = await fetch(`${brume.url}/v1/limit`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ namespace, identifier: 'alice' }),
      });
      const { success, reason } = (await response.json()) as { success: boolean; reason: string };
      return `${response.status} ${success} ${reason}`;
    }),
  );
  assert.deepEqual([...new Set(answers)], ['200 false limit']);
});

test('a TLS file that can not be used ends the start with 78, its variable and what to do, before anything is opened', async (t) => {
  const settings: Record<string, string> = {
    ...settingsIn(t),
    BRUME_MANAGEMENT_LISTEN: '127.0.0.1:0',
    BRUME_MANAGEMENT_TLS_CERT: '/nonexistent/brume.crt',
    BRUME_MANAGEMENT_TLS_KEY: '/nonexistent/brume.key',
  };
  const { exitCode, stdout, stderr } = await runBrume(settings, 'serve');
  assert.equal(exitCode, 78, stderr);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const [at, variable, file] of [
    [0, 'BRUME_MANAGEMENT_TLS_CERT', '/nonexistent/brume.crt'],
    [1, 'BRUME_MANAGEMENT_TLS_KEY', '/nonexistent/brume.key'],
  ] as const) {
    assert.deepEqual([lines[at].level, lines[at].variable], ['error', variable]);
    assert.ok(
      stderr.includes(`${variable} (${file}): the file can't be read (ENOENT). It must exist`),
      stderr,
    );
  }
  assert.deepEqual(readdirSync(settings.BRUME_STATE_DIR ?? ''), []);
});
