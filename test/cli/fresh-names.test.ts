import assert from 'node:assert/strict';
import { text as textOf } from 'node:stream/consumers';
import { test } from 'node:test';
import { freshNames } from '../../src/cli/commands/namespace/fresh-names.ts';
import type { Rule } from '../../src/client/resources.ts';
import { acceptRule } from '../../src/policy/rule-input.ts';
import { socketServer } from '../client/socket-server.ts';
import { runWith } from './fake-terminal.ts';

const LIMIT = { name: 'minute', algorithm: 'gcra', limit: 10, windowMs: 60_000 };
const QUOTA = { name: 'days', limit: 10, period: 'day', timeZone: 'Europe/Paris' };
const RULE = { limits: [LIMIT], quotas: [QUOTA] };

/** As Brume answers it, with its defaults. */
const complete = (rule: unknown): Rule => acceptRule(rule).json;

for (const [what, rule, fresh] of [
  ['nothing', RULE, []],
  ['limit and burst', { ...RULE, limits: [{ ...LIMIT, limit: 20, burst: 5 }] }, []],
  ['the mode', { ...RULE, mode: 'shadow' }, []],
  ['the number of a quota', { ...RULE, quotas: [{ ...QUOTA, limit: 20 }] }, []],
  ['a default written out', { ...RULE, quotas: [{ ...QUOTA, anchor: { time: '00:00' } }] }, []],
  ['the name', { ...RULE, limits: [{ ...LIMIT, name: 'other' }] }, []],
  ['the algorithm', { ...RULE, limits: [{ ...LIMIT, algorithm: 'token_bucket' }] }, ['minute']],
  ['the window', { ...RULE, limits: [{ ...LIMIT, windowMs: 1000 }] }, ['minute']],
  ['the period', { ...RULE, quotas: [{ ...QUOTA, period: 'week' }] }, ['days']],
  ['the zone', { ...RULE, quotas: [{ ...QUOTA, timeZone: 'UTC' }] }, ['days']],
  ['the anchor', { ...RULE, quotas: [{ ...QUOTA, anchor: { time: '02:00' } }] }, ['days']],
  ['a limit into a quota', { quotas: [QUOTA, { ...QUOTA, name: 'minute' }] }, ['minute']],
] as const) {
  test(`changing ${what} starts ${fresh.join(', ') || 'nothing'} afresh`, () => {
    assert.deepEqual(freshNames(complete(RULE), complete(rule)), fresh);
  });
}

test('an update says what starts afresh, and one that names no change is refused', async (t) => {
  const methods: string[] = [];
  const socket = await socketServer(t, async (request, response) => {
    methods.push(request.method ?? '');
    const body = await textOf(request);
    const rule = complete(body === '' ? { limits: [LIMIT] } : JSON.parse(body).rule);
    response.end(JSON.stringify({ id: 'ns_1', name: 'n', version: 1, updatedAt: '', rule }));
  });
  const update = (...options: string[]) =>
    runWith(['namespace', 'update', 'p', 'n', ...options, '--socket', socket]);

  assert.match(
    (await update('--window', '1s')).stdout,
    /^Updated\. What was used of minute no longer counts/,
  );
  assert.match((await update('--limit', '20')).stdout, /^Updated\.\n/);
  assert.equal(methods.at(-1), 'PUT');
  const { exitCode, stderr } = await update();
  assert.equal(exitCode, 2);
  assert.match(stderr, /What is to change\?/);
  assert.equal(methods.at(-1), 'GET', 'nothing was sent');
});
