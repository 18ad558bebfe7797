import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type BrumeProcess, runBrume, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';

/** What an operator does on the first day, in order: each step builds on those before it. */
describe('the command line from end to end', () => {
  let brume: BrumeProcess;
  let key: string;

  before(async () => {
    brume = await startBrume();
  });

  after(async () => {
    await brume?.stop();
  });

  function limit(identifier: string, presentedKey = key) {
    return call(`${brume.url}/v1/limit`, {
      method: 'POST',
      headers: { 'X-API-Key': presentedKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ namespace: 'login', identifier }),
    });
  }

  it('version is that of package.json, and so is that of /health', async () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    const { exitCode, stdout } = await brume.run('version');
    deepEqual([exitCode, stdout.includes(manifest.version)], [0, true]);
    equal(JSON.parse((await call(`${brume.url}/health`)).body).version, manifest.version);
  });

  it('a project, a namespace and a key are made, and the key works at once', async () => {
    equal((await brume.run('project', 'create', 'shop')).exitCode, 0);
    const created = await brume.run('namespace', 'create', 'shop', 'login', '--limit', '3', '--window', '1h');
    equal(created.exitCode, 0, created.stderr);
    const answer = await brume.json('key', 'create', 'shop', 'backend');
    ok(typeof answer === 'object' && answer !== null && 'key' in answer && typeof answer.key === 'string');
    key = answer.key;
    match(key, /^brume_sk_[\w-]{43}$/);

    const { status, body } = await limit('alice');
    deepEqual([status, JSON.parse(body).remaining], [200, 2]);
  });

  it('the key is shown once: lists have neither it nor its hash', async () => {
    const { stdout } = await brume.run('key', 'list', 'shop', '--json');
    ok(stdout.includes('"name"') && !stdout.includes(key) && !stdout.includes(key.slice(20)));
    ok(!brume.log().includes(key));
  });

  it('limit and peek judge by the same counters as the data plane, and exit 1 where denied', async () => {
    equal((await brume.run('limit', 'shop', 'login', 'alice')).exitCode, 0);
    equal((await brume.run('peek', 'shop', 'login', 'alice')).exitCode, 0);
    equal((await brume.run('limit', 'shop', 'login', 'alice')).exitCode, 0);
    equal((await brume.run('limit', 'shop', 'login', 'alice')).exitCode, 1);
    equal((await brume.run('peek', 'shop', 'login', 'alice')).exitCode, 1);
    equal(JSON.parse((await limit('alice')).body).success, false);
  });

  it('a raised limit takes effect within the promised second, and keeps what was used', async () => {
    const updated = await brume.run('namespace', 'update', 'shop', 'login', '--limit', '4', '--window', '1h');
    equal(updated.exitCode, 0, updated.stderr);
    const verdict = await eventually(async () => {
      const { body } = await limit('alice');
      return JSON.parse(body).success === true ? JSON.parse(body) : undefined;
    });
    deepEqual([verdict.limit, verdict.remaining], [4, 0]);
  });

  it('a revoked key is refused', async () => {
    const answer = await brume.json('key', 'list', 'shop');
    ok(typeof answer === 'object' && answer !== null && 'items' in answer && Array.isArray(answer.items));
    const revoked = await brume.run('key', 'revoke', 'shop', answer.items[0].id);
    equal(revoked.exitCode, 0, revoked.stderr);
    await eventually(async () => ((await limit('alice')).status === 401 ? true : undefined));
  });

  it('what does not exist, is taken or is wrong is refused with its exit code', async () => {
    equal((await brume.run('project', 'show', 'nosuch')).exitCode, 1);
    equal((await brume.run('project', 'create', 'shop')).exitCode, 1);
    equal((await brume.run('project', 'create')).exitCode, 2);
    equal((await brume.run('nonsense')).exitCode, 2);
    const config = await runBrume({ BRUME_LISTEN: 'nonsense', BRUME_DRAIN_MS: 'soon' }, 'check-config');
    equal(config.exitCode, 78);
    ok(config.stderr.includes('BRUME_LISTEN') && config.stderr.includes('BRUME_DRAIN_MS'));
  });

  it('without a running Brume the commands that need one say so and exit 1', async () => {
    const { exitCode, stderr } = await runBrume(
      { BRUME_ADMIN_SOCKET: '/nonexistent/admin.sock' },
      'project',
      'list',
    );
    equal(exitCode, 1);
    match(stderr, /\/nonexistent\/admin\.sock/);
  });
});

/** Polls until there is a result: for changes that take up to a second to reach the data plane. */
async function eventually<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; ) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Error('it did not happen in 30 s');
}
