import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { ENDLESS } from '../../../src/limiter/exceptions.ts';
import { SnapshotCache } from '../../../src/stores/cache/snapshot-cache.ts';
import { SnapshotExceptions } from '../../../src/stores/cache/snapshot-exceptions.ts';
import { ManualTime } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { FakeSource, ruleText } from '../../support/snapshot-source.ts';

describe('exceptions in the snapshot', () => {
  let source: FakeSource;
  let time: ManualTime;
  let log: RecordedLog;
  let others: number;
  let snapshot: SnapshotCache;
  let exceptions: SnapshotExceptions;

  beforeEach(() => {
    source = new FakeSource();
    time = new ManualTime();
    log = new RecordedLog();
    others = 0;
    const onLost = () => {
      others += 1;
    };
    snapshot = new SnapshotCache({
      source,
      clock: time,
      timers: time,
      log,
      propagationMs: 1000,
      onLost,
    });
    exceptions = new SnapshotExceptions(snapshot, time, { refreshTimeoutMs: 250 });
    source.change('p', 'api', ruleText(5));
  });

  function effectOf(subject: string, name = 'api') {
    const namespace = snapshot.namespace('p', name);
    return namespace === undefined
      ? 'no namespace'
      : exceptions.find(namespace, subject, time.nowMs())?.effect;
  }

  /** What the tables have, and what the source has. */
  function assertSameAsSource(): void {
    const rows = [...(snapshot.contents()?.tables.exceptions.rows() ?? [])];
    const matches = rows.map(({ namespaceId, kind, match }) => `ex_${namespaceId}_${kind}_${match}`).sort();
    assert.deepEqual(matches, [...source.exceptions.keys()].sort());
  }

  it('are there from the start, and follow what is written and removed', async () => {
    source.except('p', 'api', 'block', 'mallory', { expiresAtMs: time.nowMs() + 5000 });
    source.except('p', 'api', 'exemption', 'root');
    await snapshot.start();
    const namespace = snapshot.namespace('p', 'api');
    assert.ok(namespace);
    assert.deepEqual(exceptions.find(namespace, 'mallory', time.nowMs()), {
      effect: 'block',
      untilMs: time.nowMs() + 5000,
    });
    assert.deepEqual(exceptions.find(namespace, 'root', time.nowMs()), {
      effect: 'exempt',
      untilMs: ENDLESS,
    });
    assert.equal(exceptions.revision(), source.revision);
    source.lift('p', 'api', 'exemption', 'root');
    source.except('p', 'api', 'block', 'eve');
    await exceptions.refresh();
    assert.deepEqual([effectOf('root'), effectOf('eve'), effectOf('mallory')], [undefined, 'block', 'block']);
    assert.equal(exceptions.revision(), source.revision);
  });

  it('an override gives the rule with its numbers: one object for all who have the same, another for another rule', async () => {
    const limitsText = '[{"name":"default","limit":50}]';
    const name = JSON.parse(ruleText(5)).limits[0].name ?? 'default';
    for (const match of ['a', 'b']) {
      source.except('p', 'api', 'override', match, { limitsText: limitsText.replace('default', name) });
    }
    await snapshot.start();
    const setOf = (subject: string) => {
      const namespace = snapshot.namespace('p', 'api');
      const found = namespace && exceptions.find(namespace, subject, time.nowMs());
      return found?.effect === 'replace' ? found.set : undefined;
    };
    const set = setOf('a');
    assert.ok(set !== undefined && Object.isFrozen(set));
    assert.equal(setOf('b'), set);
    source.change('p', 'api', ruleText(6));
    await snapshot.refresh();
    assert.notEqual(setOf('a'), set);
  });

  it('one that was removed and written again stays, also where both come with one load', async () => {
    source.except('p', 'api', 'block', 'mallory');
    await snapshot.start();
    source.lift('p', 'api', 'block', 'mallory');
    source.except('p', 'api', 'block', 'mallory');
    source.except('p', 'api', 'block', 'eve');
    source.lift('p', 'api', 'block', 'eve');
    await snapshot.refresh();
    assert.deepEqual([effectOf('mallory'), effectOf('eve')], ['block', undefined]);
  });

  it('one that is removed while it is read is removed by the next load', async () => {
    await snapshot.start();
    source.except('p', 'api', 'block', 'mallory');
    // Removals have been read, exceptions have not.
    source.before.set('exceptions', () => source.except('p', 'api', 'block', 'eve'));
    await snapshot.refresh();
    source.lift('p', 'api', 'block', 'eve');
    await snapshot.refresh();
    assert.equal(effectOf('eve'), undefined);
    assertSameAsSource();
  });

  it('go with their namespace, and do not come back with a namespace of the same id', async () => {
    source.except('p', 'api', 'block', 'mallory');
    await snapshot.start();
    source.change('p', 'api');
    source.change('p', 'api', ruleText(7));
    await snapshot.refresh();
    assert.equal(effectOf('mallory'), undefined);
    assertSameAsSource();
  });

  it('of a namespace that is made while they are read come with the next load', async () => {
    await snapshot.start();
    source.except('p', 'api', 'block', 'mallory');
    source.before.set('exceptions', () => {
      source.change('p', 'late', ruleText(7));
      source.except('p', 'late', 'block', 'eve');
    });
    await snapshot.refresh();
    assert.equal(effectOf('mallory'), 'block');
    assert.equal(snapshot.contents()?.tables.exceptions.count, 1);
    await snapshot.refresh();
    assert.equal(effectOf('eve', 'late'), 'block');
  });

  it('are read in pages; one that fails leaves what was in force, and the next load makes it whole', async () => {
    for (let one = 0; one < 5000; one += 1) source.except('p', 'api', 'block', `old-${one}`);
    await snapshot.start();
    assert.equal(snapshot.stats().exceptions, 5000);
    for (let one = 0; one < 4500; one += 1) source.except('p', 'api', 'block', `new-${one}`);
    source.lift('p', 'api', 'block', 'old-0');
    const before = snapshot.state().revision;
    source.before.set('exceptions', () => {
      // After the first page.
      source.before.set('exceptions', () => {
        source.isAway = true;
      });
    });
    await snapshot.refresh();
    assert.equal(snapshot.state().revision, before);
    assert.deepEqual([effectOf('old-0'), effectOf('old-1')], ['block', 'block']);
    source.isAway = false;
    await snapshot.refresh();
    assert.ok(snapshot.state().revision > before);
    assertSameAsSource();
  });

  it('are read anew where removals are no longer listed', async () => {
    source.except('p', 'api', 'block', 'mallory');
    await snapshot.start();
    source.lift('p', 'api', 'block', 'mallory');
    source.removals = [];
    source.removalsListedAfter = source.revision;
    await snapshot.refresh();
    assert.equal(effectOf('mallory'), undefined);
    assert.equal(snapshot.stats().wholeLoads, 2);
  });

  it('are read anew if the store went back and then on, so that its revision is no lower', async () => {
    source.change('q', 'api', ruleText(1));
    source.except('p', 'api', 'block', 'mallory');
    await snapshot.start();
    // A failover to a standby without the last change, and two changes there.
    source.exceptions.clear();
    source.projects.set('p', 1);
    source.change('q', 'api', ruleText(2));
    source.change('q', 'api', ruleText(3));
    await snapshot.refresh();
    assert.equal(effectOf('mallory'), undefined);
    assert.equal(snapshot.stats().wholeLoads, 2);
  });

  for (const changes of [1, 3]) {
    it(`are read anew if their project itself was changed since: ${changes} in place of a lost change`, async () => {
      source.change('p', 'api', ruleText(1));
      source.except('p', 'api', 'block', 'mallory');
      source.revisedAt.set(source.revision, 1000);
      await snapshot.start();
      // A failover to a standby without the exception, and changes of the same project there.
      source.exceptions.clear();
      source.revision -= 1;
      for (let change = 1; change <= changes; change++) {
        source.change('p', 'api', ruleText(1 + change));
        source.revisedAt.set(source.revision, 2000 + change);
      }
      await snapshot.refresh();
      assert.equal(effectOf('mallory'), undefined);
      assert.equal(snapshot.stats().wholeLoads, 2);
      assertSameAsSource();
    });
  }

  it('nothing of another installation is taken over, and whoever runs this node is told', async () => {
    source.except('p', 'api', 'block', 'mallory');
    await snapshot.start();
    source.secretByte = 8;
    source.exceptions.clear();
    source.change('p', 'api', ruleText(999));
    await snapshot.refresh();
    assert.equal(effectOf('mallory'), 'block');
    assert.equal(snapshot.namespace('p', 'api')?.rule.limits[0]?.limit, 5);
    assert.equal(snapshot.identifierSecret()[0], 7);
    assert.equal(others, 1);
    assert.equal(snapshot.state().isStale, true);
  });

  it('a check does not wait longer for a refresh than it may', async () => {
    await snapshot.start();
    source.gate = new Promise(() => undefined);
    let isDone = false;
    const waiting = exceptions.refresh().then(() => {
      isDone = true;
    });
    await time.advance(249);
    assert.equal(isDone, false);
    await time.advance(1);
    await waiting;
  });

  it('after any history of changes, with faults in between, are those of the store', async () => {
    const step = fc.record({
      op: fc.constantFrom('except', 'except', 'lift', 'make', 'delete', 'refresh', 'fault', 'race'),
      name: fc.constantFrom('api', 'login'),
      match: fc.constantFrom('a', 'b', 'c'),
      call: fc.constantFrom('projects', 'namespaces', 'keys', 'removals', 'exceptions'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        source = new FakeSource();
        snapshot = new SnapshotCache({ source, clock: time, timers: time, log, propagationMs: 1000 });
        const change = (op: string, name: string, match: string) => {
          const exists = source.namespaces.has(`ns_p_${name}`);
          if (op === 'except' && exists) source.except('p', name, 'block', match);
          if (op === 'lift' && exists) source.lift('p', name, 'block', match);
          if (op === 'make') source.change('p', name, ruleText(source.revision + 1));
          if (op === 'delete' && exists) source.change('p', name);
        };
        for (const { op, name, match, call } of steps) {
          change(op, name, match);
          if (op === 'refresh') await snapshot.refresh();
          if (op === 'fault') {
            source.before.set(call, () => {
              throw new BrumeError('store_unavailable');
            });
            await snapshot.refresh();
          }
          if (op === 'race') {
            source.before.set(call, () => {
              change('lift', name, match);
              change('except', name, match === 'a' ? 'b' : 'a');
            });
            await snapshot.refresh();
          }
        }
        source.before.clear();
        await snapshot.refresh();
        assertSameAsSource();
      }),
      { numRuns: 300 },
    );
  });
});
