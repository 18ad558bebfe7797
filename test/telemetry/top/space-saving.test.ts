import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SpaceSaving } from '../../../src/telemetry/top/space-saving.ts';

test('no count is off by more than n / k, and whoever came more often than that is kept', () => {
  const streams = fc.array(fc.oneof(fc.integer({ max: 5, min: 0 }), fc.integer({ min: 0, max: 60 })), {
    maxLength: 400,
  });
  fc.assert(
    fc.property(streams, fc.integer({ min: 1, max: 12 }), (stream, places) => {
      const sketch = new SpaceSaving(places);
      const exact = new Map<string, number>();
      for (const number of stream) {
        const key = `user ${number}`;
        sketch.add(key);
        exact.set(key, (exact.get(key) ?? 0) + 1);
      }
      const estimates = sketch.estimates();
      assert.equal(sketch.total, stream.length);
      assert.ok(estimates.length <= places);
      for (const { key, count, error } of estimates) {
        const truth = exact.get(key) ?? 0;
        assert.ok(count >= truth && count - error <= truth, `${key}: ${count} ± ${error}, really ${truth}`);
        assert.ok(error <= stream.length / places);
      }
      const kept = new Set(estimates.map(({ key }) => key));
      for (const [key, truth] of exact) {
        if (truth > stream.length / places) assert.ok(kept.has(key), key);
        if (!kept.has(key)) assert.ok(truth <= sketch.missedMax);
      }
    }),
  );
});

test('a flood of new keys takes no more memory, and does not hide the one that comes most', () => {
  const sketch = new SpaceSaving(64);
  for (let n = 0; n < 100_000; n++) {
    sketch.add(`stranger ${n}`);
    if (n % 20 === 0) sketch.add('ann');
  }
  const estimates = sketch.estimates();
  assert.equal(estimates.length, 64);
  const [most] = estimates.sort((a, b) => b.count - b.error - (a.count - a.error));
  assert.equal(most?.key, 'ann');
});
