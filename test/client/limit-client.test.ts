import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LimitClient } from '../../src/client/limit-client.ts';
import { startPlane, window } from '../planes/data/plane-harness.ts';

const ANN = { namespace: 'api', identifier: 'ann' };

describe('the client against a data plane', () => {
  test('checks, peeks, batches and resets, with its key', async (t) => {
    const plane = await startPlane(t, { namespaces: { api: window(3) } });
    const key = plane.addKey({ scopes: ['limit', 'peek', 'reset'] });
    const client = new LimitClient({ url: plane.url }, { key });

    const first = await client.limit({ ...ANN, requestId: 'r1' });
    assert.deepEqual([first.success, first.remaining, first.requestId], [true, 2, 'r1']);
    assert.deepEqual(await client.limit({ ...ANN, requestId: 'r1' }), first);
    assert.equal((await client.peek(ANN)).remaining, 2);

    const all = await client.limitBatch([ANN, { ...ANN, cost: 2 }], { atomic: true });
    assert.deepEqual([all.success, all.verdicts.map(({ success }) => success)], [false, [false, false]]);
    const each = await client.limitBatch([ANN, { ...ANN, cost: 2 }]);
    assert.deepEqual(
      each.verdicts.map(({ success }) => success),
      [true, false],
    );

    assert.equal(await client.reset(ANN), undefined);
    assert.equal((await client.peek(ANN)).remaining, 3);
  });

  test('a refusal is an ApiError that names the member', async (t) => {
    const plane = await startPlane(t, { namespaces: { api: window(3) } });
    const client = new LimitClient({ url: plane.url }, { key: plane.key });
    await assert.rejects(client.limitBatch([ANN, { namespace: 'none', identifier: 'a' }]), {
      name: 'ApiError',
      status: 404,
      code: 'unknown_namespace',
      field: 'checks[1].namespace',
    });
    await assert.rejects(client.reset(ANN), { status: 403, code: 'forbidden_scope' });
  });
});
