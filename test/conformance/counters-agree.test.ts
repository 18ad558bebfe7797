import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { embeddedEngine } from '../support/counter-engines.ts';
import { startRedisEngine } from '../support/redis-engine.ts';
import { assertAgreement, historyArbitrary, MIXTURES, NEVER_IDS } from './counters/histories.ts';

/** Histories for each algorithm alone, and for rules that mix them. `scripts/test-long` raises it. */
const HISTORIES = Number(process.env.BRUME_TEST_HISTORIES ?? 2000);

describe('the script in Redis and the reference models give the same outcome, field by field', () => {
  const { redis, server } = startRedisEngine();

  for (const [title, algorithms] of MIXTURES) {
    it(`${title}: ${HISTORIES} random histories`, async () => {
      const property = fc.asyncProperty(historyArbitrary(algorithms), async (history) => {
        await assertAgreement(history, embeddedEngine(), redis());
      });
      await fc.assert(property, { numRuns: HISTORIES });
    });
  }

  it('leaves no key without a time to live, but for quotas that never end', async () => {
    const keys = await server().client.keys('*');
    assert.ok(keys.length > 0);
    for (const key of keys) {
      if ((await server().client.pttl(key)) > 0) continue;
      // Open reservations stay with the quota that they are counted in.
      const state = (await server().client.get(key.replace(/:reservations$/, ''))) ?? '';
      assert.ok(
        NEVER_IDS.some((id) => state.includes(`:q:${id}:`)),
        `${key} never ends: ${state}`,
      );
    }
  });
});
