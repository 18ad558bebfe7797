/** A node that is well, as `GET /v1/status` tells it, but for its stores, which the tests add. */
export const WELL_STATUS = {
  status: 'ready',
  version: '1.2.3',
  startedAt: '2027-03-01T14:00:00.000Z',
  host: 'one',
  pid: 7,
  nodes: 2,
  snapshot: { revision: 3, ageMs: 400, source: 'store' },
  quotaCheckpoints: { pending: 1, written: 2, failures: 0, dropped: 0, restored: 0 },
  degraded: [],
};
