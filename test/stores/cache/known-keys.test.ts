import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KnownKeys } from '../../../src/stores/cache/known-keys.ts';
import type { ApiKey } from '../../../src/tenancy/api-key.ts';

function keyOf(projectId: string): ApiKey {
  return {
    id: 'key_x',
    projectId,
    name: 'k',
    kind: 'service',
    scopes: ['limit'],
    prefix: 'brume_sk_',
    createdAtMs: 0,
    expiresAtMs: null,
    revokedAtMs: null,
  };
}

it('known keys are bounded: the one used longest ago goes, and is counted', () => {
  const keys = new KnownKeys(2);
  for (const hash of ['a', 'b']) keys.set(hash, { key: keyOf('p'), freshUntilMs: 1 });
  keys.get('a');
  keys.set('c', { key: keyOf('p'), freshUntilMs: 1 });
  assert.deepEqual([keys.size, keys.evictions], [2, 1]);
  assert.equal(keys.get('b'), undefined);
  assert.notEqual(keys.get('a'), undefined);
});

it('the keys of changed projects go, whatever became of them before', () => {
  const keys = new KnownKeys(3);
  keys.set('evicted', { key: keyOf('p'), freshUntilMs: 1 });
  keys.set('moved', { key: keyOf('p'), freshUntilMs: 1 });
  keys.set('moved', { key: keyOf('q'), freshUntilMs: 2 });
  keys.set('kept', { key: keyOf('q'), freshUntilMs: 1 });
  keys.set('dropped', { key: keyOf('p'), freshUntilMs: 1 });
  const asked: string[] = [];
  keys.deleteOf((projectId) => {
    asked.push(projectId);
    return projectId === 'p';
  });
  assert.deepEqual(asked.sort(), ['p', 'q'], 'a project is asked about once');
  assert.deepEqual(
    ['moved', 'kept', 'dropped', 'evicted'].map((hash) => keys.get(hash) !== undefined),
    [true, true, false, false],
  );
  assert.equal(keys.size, 2);
});
