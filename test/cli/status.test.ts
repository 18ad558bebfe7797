import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeBrume } from './fake-brume.ts';
import { WELL_STATUS } from './well-status.ts';

const WELL = {
  ...WELL_STATUS,
  nodesElsewhere: [],
  configuration: { kind: 'postgresql', state: 'available' },
  counters: {
    kind: 'redis',
    state: 'available',
    fault: null,
    topology: 'sentinel',
    circuit: { closed: 1, open: 0, halfOpen: 0 },
    mayEvict: false,
    slotsAway: [],
    losses: 0,
  },
};

const DEGRADED = {
  projectId: 'prj_1',
  namespace: 'login',
  policy: 'closed',
  fault: 'timeout',
  since: '2027-03-01T15:00:00.000Z',
  verdicts: 12,
};

test('status shows how the node is, and ends with 0 while all is well', async (t) => {
  const { calls, run } = await fakeBrume(t, () => [200, WELL]);
  const { exitCode, stdout } = await run(['status']);
  assert.equal(exitCode, 0);
  assert.deepEqual(
    calls.map(({ method, url }) => [method, url.pathname]),
    [['GET', '/v1/status']],
  );
  assert.match(stdout, /^status +ready$/m);
  assert.match(stdout, /^counters +redis \(sentinel\): available$/m);
  assert.doesNotMatch(stdout, /Degraded|warning/);
});

test('status ends with 1 where a store is away, or a failure policy decides', async (t) => {
  const full = { ...WELL.counters, state: 'full', fault: 'oom' };
  const answers = [
    { ...WELL, status: 'degraded', counters: full },
    { ...WELL, degraded: [DEGRADED] },
  ];
  const { run } = await fakeBrume(t, () => [200, answers.shift()]);
  const away = await run(['status']);
  assert.equal(away.exitCode, 1);
  assert.match(away.stdout, /^counters +redis \(sentinel\): full \(oom\)$/m);
  const { exitCode, stdout } = await run(['status']);
  assert.equal(exitCode, 1);
  assert.match(stdout, /Degraded now:\nNAMESPACE .*\nlogin +prj_1 +closed +timeout .* 12$/m);
});

test('status names nodes that count in another Redis, and ends with 1', async (t) => {
  const { run } = await fakeBrume(t, () => [200, { ...WELL, nodesElsewhere: [{ host: 'two', pid: 8 }] }]);
  const { exitCode, stdout } = await run(['status']);
  assert.equal(exitCode, 1);
  assert.match(stdout, /^count elsewhere +8 on two: see their BRUME_REDIS_URL$/m);
});

test('status warns of what may cost counts, and gives programs the whole answer', async (t) => {
  const counters = { ...WELL.counters, mayEvict: true, losses: 2, slotsAway: ['0-5460'] };
  const { run } = await fakeBrume(t, () => [200, { ...WELL, counters }]);
  const { stdout } = await run(['status']);
  assert.match(stdout, /^warning +Redis may evict counters/m);
  assert.match(stdout, /^counts lost +2$/m);
  assert.match(stdout, /^slots away +0-5460$/m);
  assert.deepEqual(JSON.parse((await run(['status', '--json'])).stdout), { ...WELL, counters });
});
