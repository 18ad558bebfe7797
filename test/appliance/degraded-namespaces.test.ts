import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DegradedNamespaces } from '../../src/appliance/degraded-namespaces.ts';
import { TwoClocks } from '../support/two-clocks.ts';

const namespaceOf = (id: string) => ({
  id,
  projectId: 'p',
  name: id,
  rule: { limits: [], onStoreFailure: 'closed' as const },
});

test('a namespace is degraded from its first verdict by policy until ten seconds after the last', () => {
  const clock = new TwoClocks();
  const degraded = new DegradedNamespaces(clock);
  const sinceMs = clock.nowMs();
  degraded.note(namespaceOf('a'), 'timeout');
  clock.pass(9000);
  degraded.note(namespaceOf('a'), 'unavailable');
  clock.pass(9000);
  const common = { projectId: 'p', name: 'a', policy: 'closed' };
  assert.deepEqual(degraded.list(), [{ ...common, fault: 'unavailable', sinceMs, verdicts: 2 }]);
  clock.pass(1000);
  assert.deepEqual(degraded.list(), []);
  degraded.note(namespaceOf('a'), 'full');
  assert.deepEqual(degraded.list(), [{ ...common, fault: 'full', sinceMs: clock.nowMs(), verdicts: 1 }]);
});

test('at most a thousand namespaces are remembered, and those that are well again give way', () => {
  const clock = new TwoClocks();
  const degraded = new DegradedNamespaces(clock);
  for (let count = 0; count < 1100; count++) degraded.note(namespaceOf(`n${count}`), 'timeout');
  assert.equal(degraded.list().length, 1000);
  clock.pass(10_000);
  degraded.note(namespaceOf('late'), 'timeout');
  assert.deepEqual(
    degraded.list().map(({ name }) => name),
    ['late'],
  );
});
