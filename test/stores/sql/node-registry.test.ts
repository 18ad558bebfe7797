import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import { NODE_GONE_AFTER_MS, NodeRegistry } from '../../../src/stores/sql/node-registry.ts';
import type { Node } from '../../../src/stores/sql/nodes.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { openSqlEngine, SQL_DIALECTS, type SqlEngine } from '../../support/sql-engines.ts';

for (const dialect of SQL_DIALECTS) {
  describe(`the registry of nodes in ${dialect}`, () => {
    let engine: SqlEngine;

    before(async () => {
      engine = await openSqlEngine(dialect);
      await migrate(engine.sql);
    });
    after(() => engine.close());
    beforeEach(() => write('delete from nodes'));

    const write = (statement: string) =>
      engine.sql.transaction((transaction) => transaction.run(statement).then(() => undefined));
    const namesIn = async () =>
      (await engine.sql.all('select id from nodes order by id')).map(({ id }) => String(id));

    function node(id: string, counters: Node['counters'], isGone: (node: Node) => boolean = () => false) {
      const time = new ManualTime();
      const log = new RecordedLog();
      const self = { id, host: `host-${id}`, pid: 7, pidSpace: 'here', counters };
      const counts: number[] = [];
      const onOthers = (others: readonly Node[]) => void counts.push(others.length + 1);
      const parts = { sql: engine.sql, self, timers: time, log, isGone, onOthers };
      return { time, log, counts, registry: new NodeRegistry(parts) };
    }
    /** Lets one sign be given, and waits for it to be written. */
    async function sign({ time }: { time: ManualTime }) {
      await time.advance(3000);
      while (time.timerCount === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const grow = (id: string, ms: number) =>
      write(`update nodes set seen_at = seen_at - ${ms} where id = '${id}'`);

    for (const [first, second, isRefused] of [
      ['embedded', 'embedded', true],
      ['embedded', 'redis', true],
      ['redis', 'embedded', true],
      ['redis', 'redis', false],
    ] as const) {
      it(`a node that counts in ${second} beside a live one that counts in ${first} is ${isRefused ? 'refused, and leaves nothing' : 'let in'}`, async () => {
        const [one, two] = [node('one', first), node('two', second)];
        assert.equal(await one.registry.enter(), undefined);
        const rival = await two.registry.enter();
        assert.equal(rival?.host, isRefused ? 'host-one' : undefined);
        assert.deepEqual(await namesIn(), isRefused ? ['one'] : ['one', 'two']);
        assert.equal(two.time.timerCount, isRefused ? 0 : 1);
        await Promise.all([one.registry.leave(), two.registry.leave()]);
        assert.deepEqual(await namesIn(), []);
      });
    }

    it('of two that start at once one is let in', async () => {
      const nodes = ['one', 'two', 'three'].map((id) => node(id, 'embedded'));
      const rivals = await Promise.all(nodes.map(({ registry }) => registry.enter()));
      assert.equal(rivals.filter((rival) => rival === undefined).length, 1);
      await Promise.all(nodes.map(({ registry }) => registry.leave()));
    });

    it('each node hears how many live, with each of its signs', async () => {
      const [one, two] = [node('one', 'redis'), node('two', 'redis')];
      await one.registry.enter();
      await two.registry.enter();
      assert.deepEqual([one.counts, two.counts], [[1], [2]]);
      await sign(one);
      assert.deepEqual(one.counts, [1, 2]);
      await two.registry.leave();
      await sign(one);
      assert.deepEqual(one.counts, [1, 2, 1]);
      await one.registry.leave();
    });

    it('a node that left makes room at once', async () => {
      const one = node('one', 'embedded');
      await one.registry.enter();
      await one.registry.leave();
      assert.equal(one.time.timerCount, 0);
      const two = node('two', 'embedded');
      assert.equal(await two.registry.enter(), undefined);
      await two.registry.leave();
    });

    it('a node without a sign for the time that is stated counts as gone, and its row goes', async () => {
      const one = node('one', 'embedded');
      await one.registry.enter();
      await grow('one', NODE_GONE_AFTER_MS - 5000);
      assert.equal((await node('early', 'embedded').registry.enter())?.id, 'one');
      await grow('one', 5001);
      const two = node('two', 'embedded');
      assert.equal(await two.registry.enter(), undefined);
      assert.deepEqual(await namesIn(), ['two']);
      await Promise.all([one.registry.leave(), two.registry.leave()]);
    });

    it('a sign from the future does not block anybody for longer', async () => {
      const one = node('one', 'embedded');
      await one.registry.enter();
      await grow('one', -3_600_000);
      const two = node('two', 'embedded');
      assert.equal(await two.registry.enter(), undefined);
      await Promise.all([one.registry.leave(), two.registry.leave()]);
    });

    it('signs keep a node alive', async () => {
      const one = node('one', 'embedded');
      await one.registry.enter();
      await grow('one', NODE_GONE_AFTER_MS + 1000);
      await sign(one);
      assert.equal((await node('two', 'embedded').registry.enter())?.id, 'one');
      assert.deepEqual(one.log.lines, []);
      await one.registry.leave();
    });

    it('a node whose process has ended is gone at once', async () => {
      const one = node('one', 'embedded');
      await one.registry.enter();
      const two = node('two', 'embedded', ({ id }) => id === 'one');
      assert.equal(await two.registry.enter(), undefined);
      assert.deepEqual(await namesIn(), ['two']);
      await Promise.all([one.registry.leave(), two.registry.leave()]);
    });

    it('a node that was taken for gone and is not says so once, and is in the registry again', async () => {
      const one = node('one', 'embedded');
      await one.registry.enter();
      await write(`delete from nodes where id = 'one'`);
      const two = node('two', 'embedded');
      assert.equal(await two.registry.enter(), undefined);
      await sign(one);
      await sign(one);
      assert.equal(one.log.lines.length, 1);
      assert.match(one.log.lines[0] ?? '', /^error: another live node uses this database/);
      assert.deepEqual(await namesIn(), ['one', 'two']);
      await Promise.all([one.registry.leave(), two.registry.leave()]);
    });
  });
}
