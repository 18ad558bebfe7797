import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../../../src/limiter/clock.ts';
import { RedisCounters } from '../../../../src/stores/redis/redis-counters.ts';
import { selectionOf } from '../../../../src/stores/redis/sentinel/sentinel-view.ts';
import { freshKey, ready, setOf } from '../../../support/counter-engines.ts';
import { documentedAcl, documentedSentinelAcl } from '../../../support/redis-acl.ts';
import type { RigProcess } from '../../../support/rig-process.ts';
import { startSentinels } from '../../../support/sentinels.ts';
import { waitFor } from '../../../support/wait-for.ts';

const SET = setOf({ algorithm: 'fixed_window', limit: 10, windowMs: 3_600_000 });

describe('a planned failover', { timeout: 60_000 }, () => {
  it('is followed as soon as the replica is a master, before a Sentinel names it, with the documented rights; not for long if none ever does', async (t) => {
    const rig = await startSentinels({ replicas: 2 });
    t.after(() => rig.stop());
    const warnings: string[] = [];
    const log = { info: () => undefined, warn: (_: object, text: string) => void warnings.push(text) };
    const user = ['ACL', 'SETUSER', 'brume', '>secret'] as const;
    for (const { client } of rig.servers) await client.call(...user, ...documentedAcl());
    for (const { client } of rig.sentinels) await client.call(...user, ...documentedSentinelAcl());
    const login = { username: 'brume', password: 'secret' };
    const access = { ...login, sentinel: { ...login, tls: 'same' } } as const;
    const counters = RedisCounters.connect({ url: rig.url, access, timeoutMs: 500, clock: systemClock, log });
    t.after(() => counters.close());
    const isTold = (text: RegExp) => warnings.some((warning) => text.test(warning));
    await ready(counters);
    const former = await rig.master();
    // All of them are heard by now, not only those that made the election.
    await waitFor('all Sentinels', () => counters.stats().reachableSentinels === 3);
    const replicas = rig.servers.filter((server) => server !== former);
    // So that the Sentinels never learn of the promotion, however slow this machine is.
    for (const { client } of replicas) await client.call('ACL', 'SETUSER', 'default', '-info');
    await rig.sentinels[0]?.client.call('SENTINEL', 'FAILOVER', 'mymaster');
    await waitFor('another server', () => counters.stats().serverChanges === 1);
    const roles = await Promise.all(replicas.map(({ client }) => client.call('ROLE')));
    const promoted = replicas[roles.findIndex((role) => (role as string[])[0] === 'master')] as RigProcess;
    assert.equal(await rig.master(), former, 'nobody has named another one');
    const keysBefore = await promoted.client.dbsize();
    await counters.check({ key: freshKey(), set: SET, cost: 1, peek: false });
    assert.equal(await promoted.client.dbsize(), keysBefore + 1);
    assert.ok(isTold(/^a Sentinel had a replica promoted/));

    await waitFor('the former one', () => counters.stats().serverChanges === 2);
    assert.ok(isTold(/^the Sentinels do not name the replica/));
    const formerBefore = await former.client.dbsize();
    await counters.check({ key: freshKey(), set: SET, cost: 1, peek: false });
    assert.equal(await former.client.dbsize(), formerBefore + 1);
  });
});

describe('what a Sentinel publishes when it has chosen a replica', () => {
  it('names replica and master, also by IPv6', () => {
    assert.deepEqual(selectionOf('slave 10.0.0.2:6379 10.0.0.2 6379 @ main 10.0.0.1 6380'), {
      masterName: 'main',
      replica: { host: '10.0.0.2', port: 6379 },
      master: { host: '10.0.0.1', port: 6380 },
    });
    assert.deepEqual(selectionOf('slave [::2]:6379 ::2 6379 @ main ::1 6379'), {
      masterName: 'main',
      replica: { host: '::2', port: 6379 },
      master: { host: '::1', port: 6379 },
    });
  });

  it('is ignored if it is of another form', () => {
    for (const message of ['', 'master main 10.0.0.1 6379', 'slave a 10.0.0.2 x @ main 10.0.0.1 6379'])
      assert.equal(selectionOf(message), undefined);
  });
});
