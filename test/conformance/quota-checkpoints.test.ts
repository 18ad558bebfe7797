import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ENDLESS_MS } from '../../src/limiter/calendar.ts';
import type { CheckpointStore, QuotaCheckpoint } from '../../src/stores/checkpoints/quota-checkpoint.ts';
import { migrate } from '../../src/stores/sql/migrate.ts';
import { SqlCheckpointStore } from '../../src/stores/sql/sql-checkpoint-store.ts';
import { ManualClock } from '../support/counter-engines.ts';
import { checkpointOf } from '../support/quota-checkpoints.ts';
import { openSqlEngine, SQL_DIALECTS, type SqlEngine } from '../support/sql-engines.ts';

const START = { key: '', name: '' };

for (const dialect of SQL_DIALECTS) {
  describe(`checkpoints of quotas in ${dialect}`, () => {
    const clock = new ManualClock();
    let engine: SqlEngine;
    let store: CheckpointStore;

    before(async () => {
      engine = await openSqlEngine(dialect);
      await migrate(engine.sql);
      store = new SqlCheckpointStore(engine.sql, clock);
    });
    after(() => engine.close());
    beforeEach(() =>
      engine.sql.transaction((transaction) =>
        transaction.script('delete from quota_checkpoints; delete from quota_resets'),
      ),
    );

    async function all(): Promise<readonly QuotaCheckpoint[]> {
      return store.restorePage({ after: START, endingAfterMs: 0, limit: 1000 }, async () => undefined);
    }

    async function afterBoth(
      first: QuotaCheckpoint,
      second: QuotaCheckpoint,
    ): Promise<QuotaCheckpoint | undefined> {
      await store.write([first]);
      await store.write([second]);
      return (await all())[0];
    }

    it('come back as they were written, up to the largest integers', async () => {
      const large = checkpointOf({
        name: 'a.b_c-9',
        identity: 2 ** 48 - 1,
        startMs: 0,
        endMs: ENDLESS_MS,
        used: Number.MAX_SAFE_INTEGER,
      });
      await store.write([large, checkpointOf({ name: 'b' })]);
      assert.deepEqual(await all(), [large, checkpointOf({ name: 'b' })]);
      await store.write([]);
    });

    it('of the same period the larger count stays, in whichever order they are written', async () => {
      const [less, more] = [checkpointOf({ used: 5 }), checkpointOf({ used: 7, observedMs: 900 })];
      assert.deepEqual(await afterBoth(less, more), more);
      assert.deepEqual(await afterBoth(more, less), more);
    });

    it('a later period replaces an earlier one, and is not replaced by it', async () => {
      const earlier = checkpointOf({ used: 7 });
      const later = checkpointOf({ startMs: 2000, endMs: 3000, used: 1, observedMs: 2500 });
      assert.deepEqual(await afterBoth(earlier, later), later);
      assert.deepEqual(await afterBoth(later, earlier), later);
    });

    it('a period that a clock in error put into the future does not keep the present one out', async () => {
      const startMs = clock.nowMs() + 86_400_000;
      const future = checkpointOf({ startMs, endMs: startMs + 1000, used: 9, observedMs: startMs + 1 });
      assert.deepEqual(await afterBoth(future, checkpointOf()), checkpointOf());
    });

    it('of two calendars the one that was observed later stays', async () => {
      const day = checkpointOf({ used: 9, observedMs: 1100 });
      const month = checkpointOf({ identity: 8, startMs: 500, used: 1, observedMs: 1200 });
      assert.deepEqual(await afterBoth(day, month), month);
      assert.deepEqual(await afterBoth(month, day), month);
    });

    it('what was observed up to a reset is gone and is not written again; what came after it is', async () => {
      await store.write([
        checkpointOf({ used: 5 }),
        checkpointOf({ name: 'month' }),
        checkpointOf({ key: 'other' }),
      ]);
      await store.reset('alice', async () => 1600);
      assert.deepEqual(
        (await all()).map(({ key }) => key),
        ['other'],
      );
      await store.write([checkpointOf({ used: 7, observedMs: 1600 })]);
      assert.equal((await all()).length, 1);
      const fresh = checkpointOf({ used: 1, observedMs: 1601 });
      await store.write([fresh]);
      assert.deepEqual((await all())[0], fresh);
    });

    it('a reset that fails in the counters forgets no checkpoint', async () => {
      await store.write([checkpointOf({ used: 5 })]);
      await assert.rejects(
        store.reset('alice', () => Promise.reject(new Error('Redis is away'))),
        /Redis is away/,
      );
      await store.write([checkpointOf({ used: 7 })]);
      assert.equal((await all())[0]?.used, 7);
    });

    it('an earlier reset does not undo a later one', async () => {
      await store.reset('alice', async () => 1600);
      await store.reset('alice', async () => 1500);
      await store.write([checkpointOf({ observedMs: 1550 })]);
      assert.deepEqual(await all(), []);
    });

    it('are read in pages, without those whose period is over, each once', async () => {
      const many = Array.from({ length: 25 }, (_, index) =>
        checkpointOf({
          key: `k${index % 5}`,
          name: `n${Math.floor(index / 5)}`,
          endMs: index < 5 ? 1400 : 2000,
        }),
      );
      await store.write(many);
      const read: string[] = [];
      let last: { key: string; name: string } | undefined = START;
      while (last !== undefined) {
        const page: readonly QuotaCheckpoint[] = await store.restorePage(
          { after: last, endingAfterMs: 1400, limit: 6 },
          async (checkpoints) => void read.push(...checkpoints.map(({ key, name }) => key + name)),
        );
        last = page.at(-1);
      }
      const living = many.slice(5).map(({ key, name }) => key + name);
      assert.deepEqual(read, living.sort());
    });

    it('are dropped once they ended, a few at a time, and so are old resets; the endless stay', async () => {
      const ended = Array.from({ length: 5 }, (_, index) => checkpointOf({ key: `k${index}` }));
      await store.write([...ended, checkpointOf({ key: 'never', endMs: ENDLESS_MS })]);
      await store.reset('alice', async () => 1600);
      const before = { endedMs: 2001, resetMs: clock.nowMs() + 1, limit: 3 };
      assert.deepEqual([await store.prune(before), await store.prune(before)], [true, false]);
      assert.deepEqual(
        (await all()).map(({ key }) => key),
        ['never'],
      );
      assert.deepEqual(await engine.sql.all('select state_key from quota_resets'), []);
    });

    it('written, reset and restored at once from several nodes end as if one came after the other', async () => {
      const nodes = [
        store,
        new SqlCheckpointStore(engine.sql, clock),
        new SqlCheckpointStore(engine.sql, clock),
      ];
      const checkpoints = (used: number) =>
        Array.from({ length: 50 }, (_, index) =>
          checkpointOf({ key: `k${index}`, used, observedMs: 1500 + used }),
        );
      await Promise.all(
        nodes.flatMap((node, index) => [
          ...[1, 2, 3].map((round) => node.write(checkpoints(round * 3 + index).reverse())),
          node.reset('k7', async () => 1600),
          node.restorePage({ after: START, endingAfterMs: 0, limit: 100 }, async () => undefined),
        ]),
      );
      const left = await all();
      assert.equal(left.length, 49, 'all but the one that was reset');
      assert.ok(left.every(({ used }) => used === 11));
    });
  });
}
