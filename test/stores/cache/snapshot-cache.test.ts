import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { SnapshotCache } from '../../../src/stores/cache/snapshot-cache.ts';
import { ManualTime, settled } from '../../support/manual-time.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { FakeSource, ruleText } from '../../support/snapshot-source.ts';

const PROPAGATION_MS = 1000;

describe('the policy snapshot', () => {
  let source: FakeSource;
  let time: ManualTime;
  let log: RecordedLog;
  let changed: string[][];
  let snapshot: SnapshotCache;

  beforeEach(() => {
    source = new FakeSource();
    time = new ManualTime();
    log = new RecordedLog();
    changed = [];
    snapshot = newSnapshot();
  });

  function newSnapshot(random = () => 0.999): SnapshotCache {
    return new SnapshotCache({
      source,
      clock: time,
      timers: time,
      log,
      propagationMs: PROPAGATION_MS,
      onChange: (hasChanged) => changed.push(['p', 'q', 'r', 'never-seen'].filter(hasChanged)),
      random,
    });
  }

  const limitOf = (projectId: string, name: string) =>
    snapshot.namespace(projectId, name)?.rule.limits[0]?.limit;

  it('is loaded by its start, with frozen rules and the secret', async () => {
    source.change('p', 'api', ruleText(5));
    assert.equal(snapshot.state().isLoaded, false);
    assert.throws(() => snapshot.identifierSecret(), /not loaded/);
    await snapshot.start();
    assert.deepEqual(snapshot.state(), {
      isLoaded: true,
      revision: 1,
      ageMs: 0,
      isStale: false,
      source: 'store',
    });
    assert.deepEqual(snapshot.identifierSecret(), new Uint8Array(32).fill(7));
    assert.equal(limitOf('p', 'api'), 5);
    assert.ok(Object.isFrozen(snapshot.namespace('p', 'api')?.rule.limits[0]));
    assert.equal(snapshot.namespace('p', 'none'), undefined);
    assert.equal(snapshot.namespace('none', 'api'), undefined);
  });

  it('sees a change within the propagation bound, however the jitter falls', async () => {
    for (const random of [() => 0, () => 0.999]) {
      const another = newSnapshot(random);
      await another.start();
      source.change('p', 'api', ruleText(source.revision + 10));
      await time.advance(PROPAGATION_MS);
      assert.equal(another.namespace('p', 'api')?.rule.limits[0]?.limit, source.revision + 9);
      await another.stop();
    }
  });

  it('leaves a fifth of the bound at least for the reading', async () => {
    const last = newSnapshot(() => 0.999);
    await last.start();
    source.change('p', 'api', ruleText(7));
    await time.advance(PROPAGATION_MS * 0.8);
    assert.equal(last.namespace('p', 'api')?.rule.limits[0]?.limit, 7);
    await last.stop();
  });

  it('asks one question where nothing changed, and for changed projects only where something did', async () => {
    source.change('quiet', 'api', ruleText(1));
    source.change('busy', 'api', ruleText(1));
    await snapshot.start();
    const quiet = snapshot.namespace('quiet', 'api');
    source.asked.length = 0;
    await time.advance(PROPAGATION_MS);
    assert.deepEqual(source.asked, ['revision']);
    source.change('busy', 'api', ruleText(2));
    await time.advance(PROPAGATION_MS);
    assert.deepEqual(source.asked, [
      'revision',
      'revision',
      'when 2 was made',
      'projects',
      'namespaces after 2',
      'budgets after 2',
      'keys after 2',
      'removals after 2',
      'exceptions after 2',
    ]);
    assert.equal(limitOf('busy', 'api'), 2);
    assert.equal(snapshot.namespace('quiet', 'api'), quiet);
  });

  it('keeps the rule object of a namespace that did not change in a project that did', async () => {
    source.change('p', 'one', ruleText(1));
    source.change('p', 'two', ruleText(2));
    await snapshot.start();
    const before = snapshot.namespace('p', 'one')?.rule;
    source.change('p', 'two', ruleText(3));
    await snapshot.refresh();
    assert.equal(snapshot.namespace('p', 'one')?.rule, before);
    assert.equal(limitOf('p', 'two'), 3);
  });

  it('knows how many calls a day a project has, from the change that says so to the next', async () => {
    source.change('p', 'api', ruleText(1));
    source.limitCalls('q', 2 ** 53 - 1);
    assert.equal(snapshot.budgetOf('q'), null);
    await snapshot.start();
    assert.deepEqual([snapshot.budgetOf('p'), snapshot.budgetOf('q')], [null, 2 ** 53 - 1]);
    source.limitCalls('p', 0);
    await snapshot.refresh();
    assert.deepEqual([snapshot.budgetOf('p'), snapshot.budgetOf('q')], [0, 2 ** 53 - 1]);
    assert.equal(limitOf('p', 'api'), 1);
    source.limitCalls('q');
    source.drop('p');
    await snapshot.refresh();
    assert.deepEqual([snapshot.budgetOf('p'), snapshot.budgetOf('q')], [null, null]);
  });

  it('forgets deleted namespaces and projects', async () => {
    source.change('p', 'api', ruleText(1));
    source.change('p', 'login', ruleText(1));
    source.change('q', 'api', ruleText(1));
    await snapshot.start();
    source.change('p', 'login');
    await snapshot.refresh();
    assert.equal(snapshot.namespace('p', 'login'), undefined);
    assert.equal(limitOf('p', 'api'), 1);
    source.change('p', 'api');
    source.drop('q');
    await snapshot.refresh();
    assert.equal(snapshot.namespace('p', 'api'), undefined);
    assert.equal(snapshot.namespace('q', 'api'), undefined);
  });

  it('tells which projects changed or are gone, also of those it never saw', async () => {
    source.change('p', 'api', ruleText(1));
    source.change('q');
    source.change('r');
    await snapshot.start();
    source.change('p');
    source.drop('q');
    await snapshot.refresh();
    assert.deepEqual(changed, [
      ['p', 'q', 'r', 'never-seen'],
      ['p', 'q', 'never-seen'],
    ]);
  });

  it('keeps what it has while the store is away, says so, and logs it once', async () => {
    source.change('p', 'api', ruleText(5));
    await snapshot.start();
    source.isAway = true;
    source.change('p', 'api', ruleText(6));
    await time.advance(10 * PROPAGATION_MS);
    assert.equal(limitOf('p', 'api'), 5);
    const { isLoaded, isStale, ageMs } = snapshot.state();
    assert.deepEqual(
      { isLoaded, isStale, ageMs },
      { isLoaded: true, isStale: true, ageMs: 10 * PROPAGATION_MS },
    );
    assert.equal(log.lines.filter((line) => line.startsWith('warn')).length, 1);
    source.isAway = false;
    await time.advance(PROPAGATION_MS);
    assert.equal(limitOf('p', 'api'), 6);
    assert.equal(snapshot.state().isStale, false);
    assert.ok(log.lines.includes('info: the configuration store answers again'));
  });

  it('loads later if the store was away at the start', async () => {
    source.change('p', 'api', ruleText(5));
    source.isAway = true;
    await snapshot.start();
    assert.equal(snapshot.state().isLoaded, false);
    source.isAway = false;
    await time.advance(PROPAGATION_MS);
    assert.equal(snapshot.state().isLoaded, true);
    assert.equal(limitOf('p', 'api'), 5);
  });

  it('is stale when a hanging store confirms nothing', async () => {
    await snapshot.start();
    source.gate = new Promise(() => undefined);
    await time.advance(4 * PROPAGATION_MS);
    assert.equal(snapshot.state().isStale, true);
  });

  it('never refreshes twice at once, and a refresh asked for meanwhile sees what came before it', async () => {
    await snapshot.start();
    source.asked.length = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    source.gate = promise;
    const first = snapshot.refresh();
    source.change('p', 'api', ruleText(1));
    const later = [snapshot.refresh(), snapshot.refresh(), snapshot.refresh()];
    await settled();
    assert.deepEqual(source.asked, ['revision']);
    source.change('p', 'api', ruleText(2));
    resolve();
    await first;
    await Promise.all(later);
    assert.equal(limitOf('p', 'api'), 2);
    assert.equal(source.asked.filter((call) => call === 'revision').length, 2);
  });

  it('keeps the last good version of a rule that cannot be read, and logs it', async () => {
    source.change('p', 'api', ruleText(5));
    await snapshot.start();
    source.change('p', 'api', '{"limits":[{"algorithm":"from_the_future"}]}');
    source.change('p', 'new', 'not even JSON');
    source.change('p', 'fine', ruleText(6));
    await snapshot.refresh();
    assert.equal(limitOf('p', 'api'), 5);
    assert.equal(snapshot.namespace('p', 'new'), undefined);
    assert.equal(limitOf('p', 'fine'), 6);
    assert.equal(log.lines.filter((line) => line.startsWith("error: a stored rule can't be read")).length, 2);
    source.change('p', 'api', ruleText(7));
    await snapshot.refresh();
    assert.equal(limitOf('p', 'api'), 7);
  });

  it('trusts nothing it knew after a backup with lower revisions was restored', async () => {
    source.change('p', 'api', ruleText(5));
    source.change('gone', 'api', ruleText(5));
    source.change('p', 'api', ruleText(6));
    await snapshot.start();
    source.drop('gone');
    source.change('p', 'api', ruleText(4));
    source.revision = 1;
    source.projects.set('p', 1);
    await snapshot.refresh();
    assert.equal(limitOf('p', 'api'), 4);
    assert.equal(snapshot.namespace('gone', 'api'), undefined);
    assert.equal(snapshot.state().revision, 1);
  });

  it('asks nothing more once it is stopped', async () => {
    await snapshot.start();
    await snapshot.stop();
    source.asked.length = 0;
    await time.advance(10 * PROPAGATION_MS);
    await snapshot.refresh();
    assert.deepEqual(source.asked, []);
    assert.equal(time.timerCount, 0);
  });
});
