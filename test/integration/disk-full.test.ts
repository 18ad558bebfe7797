import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createTenant } from '../support/admin-socket.ts';
import { startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { limitCall } from '../support/limit-call.ts';
import { metricsOf } from '../support/metrics-of.ts';

const RULE = { limits: [{ name: 'default', algorithm: 'fixed_window', limit: 1000, windowMs: 3_600_000 }] };

interface Ready {
  readonly status: string;
  readonly stores: { readonly configuration: string; readonly counters: string };
}

/**
 * The process may not make a file longer than 4 KiB any more: what it appends fails, as on a full disk, and
 * only for this process.
 */
function limitFiles(pid: number, bytes: '4096' | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}

test('a Brume that can write nothing goes on, says so on /ready and in its metrics, and recovers by itself', {
  timeout: 120_000,
}, async (t) => {
  const brume = await startBrume();
  t.after(() => brume.stop());
  const socket = brume.settings.BRUME_ADMIN_SOCKET ?? '';
  const key = await createTenant(socket, 'shop', { api: RULE });
  const ready = async () => {
    const { status, body } = await call(`${brume.url}/ready`);
    return { httpStatus: status, ...(JSON.parse(body) as Ready) };
  };
  const until = async (stores: Ready['stores']) => {
    for (;;) {
      const state = await ready();
      assert.equal(state.httpStatus, 200);
      if (JSON.stringify(state.stores) === JSON.stringify(stores)) return state.status;
      await limitCall(brume, key, { namespace: 'api', identifier: 'ann' });
      await delay(100);
    }
  };
  const metric = async (name: string) => {
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metricsOf(socket))?.[1]);
  };
  const block = () => brume.run('block', 'add', '--project', 'shop', 'api', 'eve');

  assert.equal(await until({ configuration: 'available', counters: 'available' }), 'ready');
  limitFiles(brume.pid, '4096');
  const refused = await block();
  assert.notEqual(refused.exitCode, 0);
  assert.match(refused.stderr, /Nothing was changed\./);
  assert.doesNotMatch(refused.stderr, /may or may not/);
  assert.equal(await until({ configuration: 'read_only', counters: 'not_saved' }), 'degraded');
  const { success } = await limitCall(brume, key, { namespace: 'api', identifier: 'eve' });
  assert.equal(success, true);
  assert.equal(await metric('brume_sql_read_only'), 1);
  assert.ok((await metric('brume_sql_write_failures_total')) > 0);
  assert.ok((await metric('brume_embedded_flush_failures_total')) > 0);
  assert.ok((await metric('brume_embedded_flush_lag_seconds')) > 0);

  limitFiles(brume.pid, 'unlimited');
  assert.equal(await until({ configuration: 'available', counters: 'available' }), 'ready');
  assert.equal(await metric('brume_sql_read_only'), 0);
  const written = await block();
  assert.equal(written.exitCode, 0, written.stderr);
});
