import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus } from '../../../src/planes/management/node-status.ts';
import { startAdminPlane } from '../admin/admin-harness.ts';
import { startManagementPlane } from './plane-harness.ts';

const STATUS: NodeStatus = {
  status: 'degraded',
  stores: {
    configuration: 'available',
    counters: 'partly_available',
    countersFault: 'refused',
    slotsAway: ['0-5460'],
  },
  snapshot: { revision: 3, ageMs: 400, source: 'store' },
  version: '1.2.3',
  startedMs: Date.UTC(2027, 2, 1),
  host: 'one',
  pid: 7,
  nodes: 2,
  nodesElsewhere: [{ host: 'other', pid: 12 }],
  configuration: 'postgresql',
  counters: 'redis',
  topology: 'cluster',
  redis: undefined,
  checkpoints: {
    pending: 1,
    written: 2,
    failures: 3,
    dropped: 4,
    losses: 5,
    lostAtMs: 1.7e12,
    restored: 6,
  },
  degraded: [
    {
      projectId: 'p',
      name: 'api',
      policy: 'local',
      fault: 'timeout',
      sinceMs: Date.UTC(2027, 2, 2),
      verdicts: 9,
    },
  ],
};

test('the status tells of stores, snapshot, nodes, checkpoints and degraded namespaces', async (t) => {
  const admin = await startAdminPlane(t, () => ({ status: async () => STATUS }));
  const { status, json } = await admin.call('GET', '/v1/status');
  assert.equal(status, 200);
  assert.deepEqual(json, {
    status: 'degraded',
    version: '1.2.3',
    startedAt: '2027-03-01T00:00:00.000Z',
    host: 'one',
    pid: 7,
    nodes: 2,
    nodesElsewhere: [{ host: 'other', pid: 12 }],
    configuration: { kind: 'postgresql', state: 'available' },
    counters: {
      kind: 'redis',
      state: 'partly_available',
      fault: 'refused',
      topology: 'cluster',
      circuit: null,
      mayEvict: null,
      slotsAway: ['0-5460'],
      losses: 5,
    },
    snapshot: { revision: 3, ageMs: 400, source: 'store' },
    quotaCheckpoints: { pending: 1, written: 2, failures: 3, dropped: 4, restored: 6 },
    degraded: [
      {
        projectId: 'p',
        namespace: 'api',
        policy: 'local',
        fault: 'timeout',
        since: '2027-03-02T00:00:00.000Z',
        verdicts: 9,
      },
    ],
  });
});

test('the status is for members of the organisation `default`, a viewer already, and for nobody else', async (t) => {
  const plane = await startManagementPlane(t, { replace: () => ({ status: async () => STATUS }) });
  await plane.user('vera', { default: 'viewer' });
  await plane.user('olga', { other: 'owner' });
  const ask = async (as?: string) => {
    const { status, json } = await plane.call('GET', '/v1/status', { as });
    return [status, json.code ?? json.version];
  };
  assert.deepEqual(await ask('vera'), [200, '1.2.3']);
  assert.deepEqual(await ask('olga'), [403, 'forbidden_role']);
  assert.deepEqual(await ask(), [401, 'unauthorized']);
});
