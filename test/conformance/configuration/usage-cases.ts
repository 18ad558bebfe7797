import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { UsageTally } from '../../../src/stores/usage/usage-tally.ts';
import type { UsageQuery } from '../../../src/tenancy/usage.ts';
import { DAY_MS, HOUR_MS, MIDNIGHT_MS, tallyOf } from '../../support/usage-tallies.ts';
import { ACTOR, newKey } from './samples.ts';
import type { Opened } from './stores.ts';

const MAX = Number.MAX_SAFE_INTEGER;

/** Who uses how much. */
export function usageCases(stores: Opened): void {
  let writers = 0;
  /** As a process of its own, so that no number is taken. */
  const add = (...tallies: UsageTally[]) =>
    stores().usage.addUsage({ writerId: `writer-${++writers}`, number: 1, tallies });
  const list = (projectId: string, query: Partial<UsageQuery> = {}) =>
    stores().usage.listUsage({
      projectId,
      step: 'hour',
      by: undefined,
      fromMs: MIDNIGHT_MS,
      toMs: MIDNIGHT_MS + 400 * DAY_MS,
      pageSize: 1000,
      ...query,
    });
  const none = { part: '', keyName: null };

  it('counts of all nodes are added up, by the hour and by the day in UTC', async () => {
    const [projectId, last] = ['prj_sum', MIDNIGHT_MS + 23 * HOUR_MS];
    await add(tallyOf({ projectId, allowed: 3, denied: 2, degraded: 1, cost: 7 }));
    await add(
      tallyOf({ projectId, allowed: 10, cost: 20 }),
      tallyOf({ projectId, hourMs: last }),
      tallyOf({ projectId, hourMs: last + HOUR_MS }),
    );
    const first = { ...none, startMs: MIDNIGHT_MS, allowed: 13, denied: 2, degraded: 1, cost: 27 };
    const one = { ...none, allowed: 1, denied: 0, degraded: 0, cost: 1 };
    assert.deepEqual(await list(projectId), [
      first,
      { ...one, startMs: last },
      { ...one, startMs: last + HOUR_MS },
    ]);
    assert.deepEqual(await list(projectId, { step: 'day' }), [
      { ...first, allowed: 14, cost: 28 },
      { ...one, startMs: MIDNIGHT_MS + DAY_MS },
    ]);
  });

  it('tallies of one batch that go into the same row are added up', async () => {
    const projectId = 'prj_twice';
    await add(tallyOf({ projectId, allowed: 2 }), tallyOf({ projectId, allowed: 3, denied: 1 }));
    const [row] = await list(projectId);
    assert.deepEqual([row?.allowed, row?.denied, row?.cost], [5, 1, 2]);
  });

  it('a batch that was written is not added again, and what comes after it is', async () => {
    const [projectId, writerId] = ['prj_once', 'writer-once'];
    const write = (number: number) =>
      stores().usage.addUsage({ writerId, number, tallies: [tallyOf({ projectId })] });
    for (const number of [1, 1, 2, 1, 2, 3]) await write(number);
    assert.equal((await list(projectId))[0]?.allowed, 3);
    await Promise.all([write(4), write(4), write(4)]);
    assert.equal((await list(projectId))[0]?.allowed, 4);
  });

  it('nodes that write the same rows at once wait for each other, and none fails', async () => {
    const projectId = 'prj_race';
    const tallies = Array.from({ length: 50 }, (_, n) => tallyOf({ projectId, namespace: `n${n}` }));
    const turns = Array.from({ length: 20 }, (_, n) =>
      add(...(n % 2 === 0 ? tallies : [...tallies].reverse())),
    );
    await Promise.all(turns);
    assert.equal((await list(projectId))[0]?.allowed, 1000);
  });

  it('is told apart by namespace, or by key with its name, and chosen by either', async () => {
    const { tenancy } = stores();
    const project = await tenancy.createProject({ name: 'used' }, ACTOR);
    const key = await tenancy.createKey(project.id, newKey(), ACTOR);
    const of = (namespace: string, keyId: string, allowed: number) =>
      tallyOf({ projectId: project.id, namespace, keyId, allowed });
    await add(of('api', key.id, 1), of('api', '', 2), of('login', key.id, 4), of('login', 'key_gone', 8));
    const shown = async (query: Partial<UsageQuery>) =>
      (await list(project.id, query)).map(({ part, keyName, allowed }) => [part, keyName, allowed]);
    assert.deepEqual(await shown({}), [['', null, 15]]);
    assert.deepEqual(await shown({ by: 'namespace' }), [
      ['api', null, 3],
      ['login', null, 12],
    ]);
    const byKey = await shown({ by: 'key' });
    assert.deepEqual(
      new Set(byKey.map((row) => row.join())),
      new Set([`,,2`, `key_gone,,8`, `${key.id},ci,5`]),
    );
    assert.deepEqual(await shown({ by: 'namespace', keyId: key.id }), [
      ['api', null, 1],
      ['login', null, 4],
    ]);
    assert.deepEqual(await shown({ by: 'key', namespace: 'api', keyId: key.id }), [[key.id, 'ci', 1]]);
    assert.deepEqual(await list('prj_other'), []);
  });

  it('is read from a step on, up to one, and in pages that miss and repeat nothing', async () => {
    const projectId = 'prj_pages';
    const at = (hour: number, namespace: string) =>
      tallyOf({ projectId, namespace, hourMs: MIDNIGHT_MS + hour * HOUR_MS });
    await add(...[0, 1, 2, 3].flatMap((hour) => ['a', 'b', 'b-1', 'b.1', 'c'].map((name) => at(hour, name))));
    const range = { fromMs: MIDNIGHT_MS + HOUR_MS, toMs: MIDNIGHT_MS + 3 * HOUR_MS };
    for (const by of ['namespace', 'key', undefined] as const) {
      const whole = await list(projectId, { ...range, by });
      assert.equal(whole.length, by === 'namespace' ? 10 : 2);
      for (const pageSize of [1, 3]) {
        const paged = [];
        for (let after: UsageQuery['after']; ; ) {
          const page = await list(projectId, { ...range, by, pageSize, ...(after && { after }) });
          paged.push(...page);
          after = page.at(-1);
          if (page.length < pageSize) break;
        }
        assert.deepEqual(paged, whole);
      }
    }
  });

  it('a cost that leaves the whole numbers stays at the largest (B18)', async () => {
    const projectId = 'prj_large';
    for (let n = 0; n < 3; n++) await add(tallyOf({ projectId, cost: MAX }));
    const hours = Array.from({ length: 1100 }, (_, n) => MIDNIGHT_MS + n * HOUR_MS);
    await add(...hours.map((hourMs) => tallyOf({ projectId, hourMs, namespace: 'b', cost: MAX })));
    assert.deepEqual(
      new Set((await list(projectId, { step: 'day' })).map(({ cost }) => cost)),
      new Set([MAX]),
    );
    await add(
      tallyOf({ projectId: 'prj_exact', cost: MAX - 2 }),
      tallyOf({ projectId: 'prj_exact', keyId: '' }),
    );
    assert.equal((await list('prj_exact'))[0]?.cost, MAX - 1);
  });

  it('what is too old goes, so many rows at a time, hours before days; what is young stays', async () => {
    const { usage, clock } = stores();
    const projectId = 'prj_old';
    await add(...[0, 1, 2, 3].map((hour) => tallyOf({ projectId, hourMs: hour * HOUR_MS })));
    const listed = async (step: 'hour' | 'day') => (await list(projectId, { step, fromMs: 0 })).length;
    const ages = { hoursMs: 3 * HOUR_MS, daysMs: 0, writersMs: 0, limit: 2 };
    assert.deepEqual([await usage.pruneUsage(ages), await listed('hour'), await listed('day')], [true, 2, 1]);
    assert.deepEqual(
      [await usage.pruneUsage(ages), await listed('hour'), await listed('day')],
      [false, 1, 1],
    );
    await usage.pruneUsage({ ...ages, hoursMs: 0, daysMs: 1 });
    assert.deepEqual([await listed('hour'), await listed('day')], [1, 0]);
    const writersOf = async () =>
      (await stores().sql.all('select count(*) as n from usage_writers'))[0]?.n as number;
    assert.ok((await writersOf()) > 0);
    while (await usage.pruneUsage({ ...ages, hoursMs: 0, writersMs: clock.nowMs() + 1, limit: 10 }));
    assert.equal(await writersOf(), 0);
  });
}
