import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Verdict } from '../../../src/limiter/verdict.ts';
import { call, type HttpAnswer } from '../../support/http-call.ts';
import { problemIn, startPlane, window } from './plane-harness.ts';

const ANN = { namespace: 'jobs', identifier: 'ann' };

function places(limit: number, ttlMs = 10_000, more: readonly Record<string, unknown>[] = []) {
  return { limits: [{ name: 'places', algorithm: 'concurrency', limit, ttlMs }, ...more] };
}

interface Acquired extends Verdict {
  readonly lease: { readonly id: string; readonly expiresAt: number } | null;
}

async function startLeasing(t: Parameters<typeof startPlane>[0], rule: Record<string, unknown>) {
  const plane = await startPlane(t, { namespaces: { jobs: rule, plain: window(5) } });
  const key = plane.addKey({ scopes: ['limit', 'peek', 'lease', 'reset'] });
  const ask = (method: string, path: string): Promise<HttpAnswer> =>
    call(plane.url + path, { method, headers: { 'x-api-key': key } });
  const post = (path: string, body: unknown) => plane.post(path, body, { 'x-api-key': key });
  const acquire = async (check: object = ANN): Promise<Acquired> => {
    const { status, body } = await post('/v1/leases', check);
    assert.equal(status, 200, body);
    return JSON.parse(body) as Acquired;
  };
  return {
    plane,
    ask,
    post,
    acquire,
    leaseOf: async () => (await acquire()).lease?.id ?? assert.fail('denied'),
  };
}

describe('leases', () => {
  test('are given while there are places, with the time at which they run out', async (t) => {
    const { plane, acquire } = await startLeasing(t, places(2));
    const first = await acquire();
    assert.deepEqual(
      [first.success, first.remaining, first.lease?.expiresAt],
      [true, 1, plane.nowMs + 10_000],
    );
    const second = await acquire();
    assert.notEqual(second.lease?.id, first.lease?.id);
    const denied = await acquire();
    assert.deepEqual(
      [denied.success, denied.reason, denied.retryAfter, denied.lease],
      [false, 'limit', 10, null],
    );
  });

  test('a released place is free at once; releasing twice is no error, and frees no second place', async (t) => {
    const { ask, acquire, leaseOf } = await startLeasing(t, places(2));
    const id = await leaseOf();
    await leaseOf();
    assert.equal((await ask('DELETE', `/v1/leases/${id}`)).status, 204);
    assert.equal((await ask('DELETE', `/v1/leases/${id}`)).status, 204);
    assert.equal((await acquire()).success, true);
    assert.equal((await acquire()).success, false);
  });

  test('a renewed lease lives on, one that has run out is 404 and gives no new place', async (t) => {
    const { plane, ask, acquire, leaseOf } = await startLeasing(t, places(1));
    const id = await leaseOf();
    plane.nowMs += 9000;
    const renewed = await ask('PUT', `/v1/leases/${id}`);
    assert.deepEqual(JSON.parse(renewed.body), { id, expiresAt: plane.nowMs + 10_000 });
    plane.nowMs += 9999;
    assert.equal((await acquire()).success, false);
    plane.nowMs += 1;
    assert.deepEqual(problemIn(await ask('PUT', `/v1/leases/${id}`)), { status: 404, code: 'unknown_lease' });
    assert.equal((await acquire()).success, true);
  });

  test('a crashed holder’s place comes back after its time to live', async (t) => {
    const { plane, acquire } = await startLeasing(t, places(1));
    await acquire();
    plane.nowMs += 10_000;
    assert.equal((await acquire()).success, true);
  });

  test('a lowered limit evicts nobody', async (t) => {
    const { plane, ask, acquire, leaseOf } = await startLeasing(t, places(3));
    const ids = [await leaseOf(), await leaseOf(), await leaseOf()];
    plane.setNamespace('jobs', places(1));
    for (const id of ids) assert.equal((await ask('PUT', `/v1/leases/${id}`)).status, 200);
    for (const id of ids.slice(0, 2)) await ask('DELETE', `/v1/leases/${id}`);
    assert.equal((await acquire()).success, false);
    await ask('DELETE', `/v1/leases/${ids[2]}`);
    assert.equal((await acquire()).success, true);
  });

  test('an acquired lease consumes the whole rule, and a denied one nothing of it', async (t) => {
    const counted = { name: 'starts', algorithm: 'fixed_window', limit: 3, windowMs: 60_000 };
    const { acquire, ask } = await startLeasing(t, places(1, 10_000, [counted]));
    const startsLeft = ({ limits }: Verdict) => limits.find(({ name }) => name === 'starts')?.remaining;
    const first = await acquire();
    assert.equal(startsLeft(first), 2);
    assert.equal(startsLeft(await acquire()), 2);
    await ask('DELETE', `/v1/leases/${first.lease?.id}`);
    assert.equal(startsLeft(await acquire()), 1);
  });

  test('a plain check of such a namespace is denied, a peek says how it stands', async (t) => {
    const { plane, post } = await startLeasing(t, places(1));
    const denied = await plane.verdict(ANN);
    assert.deepEqual([denied.success, denied.reason, denied.retryAfter], [false, 'lease_required', null]);
    const peek = JSON.parse((await post('/v1/peek', ANN)).body) as Verdict;
    assert.deepEqual([peek.success, peek.remaining], [true, 1]);
  });

  test('a retry under the same request id gets the same lease and takes no second place', async (t) => {
    const { acquire } = await startLeasing(t, places(2));
    const first = await acquire({ ...ANN, requestId: 'r1' });
    assert.deepEqual(await acquire({ ...ANN, requestId: 'r1' }), first);
    assert.equal((await acquire()).remaining, 0);
  });

  for (const mode of ['shadow', 'off'] as const) {
    test(`on a limit that is ${mode} every lease is given, can be renewed, and is counted`, async (t) => {
      const rule = { limits: [{ algorithm: 'concurrency', limit: 1, ttlMs: 10_000, mode }] };
      const { ask, acquire } = await startLeasing(t, rule);
      const [first, second] = [await acquire(), await acquire()];
      assert.deepEqual([first.success, second.success], [true, true]);
      assert.deepEqual([first.shadow[0]?.success, second.shadow[0]?.success], [true, false]);
      for (const { lease } of [first, second])
        assert.equal((await ask('PUT', `/v1/leases/${lease?.id}`)).status, 200);
    });
  }

  test('a reset frees no place', async (t) => {
    const { post, acquire } = await startLeasing(t, places(1));
    await acquire();
    assert.equal((await post('/v1/reset', ANN)).status, 204);
    assert.equal((await acquire()).success, false);
  });

  test('ids that were never given, or to another project, are 404', async (t) => {
    const { plane, ask, leaseOf } = await startLeasing(t, places(1));
    const id = await leaseOf();
    const stranger = plane.addKey({ projectId: 'prj_2', scopes: ['lease'] });
    const foreign = await call(`${plane.url}/v1/leases/${id}`, {
      method: 'DELETE',
      headers: { 'x-api-key': stranger },
    });
    assert.deepEqual(problemIn(foreign), { status: 404, code: 'unknown_lease' });
    const forged = id.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    for (const unknown of [forged, 'x', id.slice(4), `${id}.`, 'a'.repeat(3000)]) {
      for (const method of ['PUT', 'DELETE']) {
        assert.deepEqual(problemIn(await ask(method, `/v1/leases/${unknown}`)), {
          status: 404,
          code: 'unknown_lease',
        });
      }
    }
    assert.equal((await ask('PUT', `/v1/leases/${id}`)).status, 200, 'it is still held');
  });

  test('need the scope `lease`, and a namespace with places', async (t) => {
    const { plane, post } = await startLeasing(t, places(1));
    assert.equal((await plane.post('/v1/leases', ANN)).status, 403);
    const none = await post('/v1/leases', { ...ANN, namespace: 'plain' });
    assert.deepEqual([none.status, problemIn(none).field], [400, 'namespace']);
  });

  test('B36: 32 workers on 25 places: never more than 25 held, none lost, all free after a crash', async (t) => {
    const { plane, ask, acquire } = await startLeasing(t, places(25));
    const held = new Map<number, string>();
    for (let second = 0; second < 60; second++) {
      await Promise.all(Array.from({ length: 32 }, (_, worker) => work(worker, second)));
      assert.ok(held.size <= 25);
      if (second > 0) assert.equal(held.size, 25);
      plane.nowMs += 1000;
    }
    // All holders are killed: nobody renews.
    plane.nowMs += 10_000;
    held.clear();
    const free = await Promise.all(Array.from({ length: 26 }, () => acquire()));
    assert.equal(free.filter(({ success }) => success).length, 25);

    async function work(worker: number, second: number): Promise<void> {
      const id = held.get(worker);
      if (id === undefined) {
        const { lease } = await acquire();
        if (lease !== null) held.set(worker, lease.id);
      } else if (second % 3 === worker % 3) {
        assert.equal((await ask('PUT', `/v1/leases/${id}`)).status, 200, 'no live lease is lost');
      } else if (second % 7 === worker % 7) {
        held.delete(worker);
        await Promise.all([ask('DELETE', `/v1/leases/${id}`), ask('DELETE', `/v1/leases/${id}`)]);
        await work(worker, second);
      }
    }
  });
});
