import assert from 'node:assert/strict';
import { test } from 'node:test';
import { degradationLog } from '../../src/appliance/degradation-log.ts';
import type { Check } from '../../src/limiter/check.ts';
import { CountersError, type CountersFault } from '../../src/limiter/counters.ts';
import { ManualTime } from '../support/manual-time.ts';
import { recordedLog } from './fakes.ts';

function written(logIdentifiers = false) {
  const { log, lines } = recordedLog();
  const clock = { nowMs: 0, advance: (ms: number) => (clock.nowMs += ms) };
  const onDegraded = degradationLog(log, { monotonicMs: () => clock.nowMs }, logIdentifiers);
  const fail = (namespace: string, fault: CountersFault) =>
    onDegraded(checkIn(namespace), new CountersError(fault, `store says ${fault}`));
  return { fail, clock, lines };
}

function checkIn(namespace: string): Check {
  return {
    namespace: {
      id: `ns_${namespace}`,
      projectId: 'prj_1',
      name: namespace,
      rule: { limits: [], onStoreFailure: 'open' },
    },
    identifier: 'alice@example.org',
    cost: 1,
    peek: false,
  };
}

test('a store fault is one warning a second for each namespace and kind, with the number left out', () => {
  const { fail, clock, lines } = written();
  for (let i = 0; i < 100; i++) fail('login', 'timeout');
  fail('login', 'unavailable');
  fail('api', 'timeout');
  assert.deepEqual(
    lines.map(({ level, namespace, fault }) => [level, namespace, fault]),
    [
      ['warn', 'login', 'timeout'],
      ['warn', 'login', 'unavailable'],
      ['warn', 'api', 'timeout'],
    ],
  );
  clock.advance(1000);
  fail('login', 'timeout');
  assert.equal(lines[3]?.suppressed, 99);
});

test('a fault that ends leaves no count unwritten', async () => {
  const { log, lines } = recordedLog();
  const time = new ManualTime();
  const onDegraded = degradationLog(log, time, false, time);
  for (let i = 0; i < 100; i++) onDegraded(checkIn('login'), new CountersError('timeout', 'no answer'));
  assert.equal(lines.length, 1);
  await time.advance(1000);
  assert.deepEqual([lines.length, lines[1]?.suppressed], [2, 98]);
});

test('B15: each damaged state is a warning of its own', () => {
  const { fail, lines } = written();
  fail('login', 'corrupt');
  fail('login', 'corrupt');
  assert.equal(lines.length, 2);
});

test('the identifier is in the log only if the operator asked for it', () => {
  const silent = written();
  silent.fail('login', 'timeout');
  assert.equal(JSON.stringify(silent.lines).includes('alice'), false);
  const open = written(true);
  open.fail('login', 'timeout');
  assert.equal(open.lines[0]?.identifier, 'alice@example.org');
});
