import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { EntryTable } from '../../src/stores/embedded/entry-table.ts';
import { entryCommands, knownSetsOf } from '../../src/stores/redis/entry-commands.ts';
import { ManualClock } from '../support/counter-engines.ts';
import { startRedisEngine } from '../support/redis-engine.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { assertAgreement, historyArbitrary, MIXTURES, NEVER_IDS } from './counters/histories.ts';

/** `scripts/test-long` raises it. */
const HISTORIES = Number(process.env.BRUME_TEST_HISTORIES ?? 400);
/** As lua/clock.lua has it under an injected clock. */
const TTL_MARGIN_MS = 3_600_000;

describe('embedded counters that are moved to Redis in the middle of a history go on as if nothing had happened', () => {
  const { redis, server } = startRedisEngine();

  for (const [title, algorithms] of MIXTURES) {
    it(`${title}: ${HISTORIES} random histories`, async () => {
      const moves = fc.array(fc.nat({ max: 25 }), { minLength: 1, maxLength: 3 });
      const property = fc.asyncProperty(historyArbitrary(algorithms), moves, async (history, moveAt) => {
        const later = history.steps.flatMap((step) => (step.kind === 'rule' ? [step.set] : []));
        const knownSets = knownSetsOf([history.first, ...later]);
        const clock = new ManualClock();
        const entries = new EntryTable();
        const counters = new EmbeddedCounters({ clock, identifiersMax: 1000, entries });
        await assertAgreement(history, { name: 'embedded', counters, clock }, redis(), async (index) => {
          if (!moveAt.includes(index)) return;
          await server().client.flushdb();
          const moment = {
            nowMs: clock.nowMs(),
            monotonicMs: clock.monotonicMs(),
            ttlMarginMs: TTL_MARGIN_MS,
          };
          const commands = [...entries.entries()].flatMap(([key, entry]) =>
            entryCommands(key, entry, moment, knownSets),
          );
          const replies = await server()
            .client.pipeline(commands.map((command) => [...command]))
            .exec();
          for (const [error] of replies ?? []) assert.equal(error, null);
          await assertTimesToLive(server());
        });
      });
      await fc.assert(property, { numRuns: HISTORIES });
    });
  }
});

/** Nothing is written that never ends, but quotas that don't. */
async function assertTimesToLive({ client }: RedisServer): Promise<void> {
  for (const key of await client.keys('*')) {
    // -2: it has just ended.
    if ((await client.pttl(key)) !== -1) continue;
    const state = (await client.type(key)) === 'string' ? ((await client.get(key)) ?? '') : '';
    assert.ok(
      NEVER_IDS.some((id) => state.includes(`:q:${id}:`)),
      `${key} never ends: ${state}`,
    );
  }
}
