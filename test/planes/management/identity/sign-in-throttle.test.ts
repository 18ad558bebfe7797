import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInThrottle } from '../../../../src/planes/management/identity/sign-in-throttle.ts';
import { ManualTime } from '../../../support/manual-time.ts';

function start() {
  const time = new ManualTime();
  const throttle = new SignInThrottle(time);
  const fail = (login: string | null, address: string | null) => throttle.begin(login, address).waitMs;
  const succeed = (login: string, address: string) => {
    const attempt = throttle.begin(login, address);
    if ('succeeded' in attempt) attempt.succeeded();
    return attempt.waitMs;
  };
  return { time, throttle, fail, succeed };
}

test('after five failures at a login each further one doubles the wait, up to five minutes', async () => {
  const { time, fail } = start();
  for (let at = 0; at < 5; at++) assert.equal(fail('anna', '192.0.2.1'), 0);
  assert.equal(fail('anna', '192.0.2.1'), 0, 'the sixth goes on, and costs a second');
  const waits: number[] = [];
  for (let at = 0; at < 10; at++) {
    const waitMs = fail('anna', '192.0.2.1');
    waits.push(waitMs / 1000);
    await time.advance(waitMs);
    assert.equal(fail('anna', '192.0.2.1'), 0);
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
});

test('attempts that had to wait are not counted', async () => {
  const { time, fail } = start();
  for (let at = 0; at < 6; at++) fail('anna', '192.0.2.1');
  for (let at = 0; at < 1000; at++) assert.equal(fail('anna', '192.0.2.1'), 1000);
  await time.advance(1000);
  assert.equal(fail('anna', '192.0.2.1'), 0);
});

test('guesses at the same moment count before any of them is answered', () => {
  const { fail } = start();
  const passed = Array.from({ length: 1000 }, () => fail('anna', '192.0.2.1')).filter(
    (waitMs) => waitMs === 0,
  );
  assert.equal(passed.length, 6);
});

test('one address at many logins is slowed down, an IPv6 network as one address', () => {
  const { fail } = start();
  const passed = Array.from({ length: 1000 }, (_, at) => fail(`login${at}`, `2001:db8::${at.toString(16)}`));
  assert.equal(passed.filter((waitMs) => waitMs === 0).length, 21);
  assert.equal(fail('anna', '2001:db8:0:1::1'), 0, 'the next network is another');
});

test('many addresses at one login wait ten seconds at most', () => {
  const { fail } = start();
  const waits = Array.from({ length: 1000 }, (_, at) => fail('anna', `10.0.${at >> 8}.${at & 255}`));
  assert.equal(waits.filter((waitMs) => waitMs === 0).length, 51);
  assert.ok(Math.max(...waits) <= 10_000);
});

test('whoever signed in before from an address does not wait for what others do to the login', () => {
  const { fail, succeed } = start();
  assert.equal(succeed('anna', '192.0.2.1'), 0);
  for (let at = 0; at < 1000; at++) fail('anna', `10.0.${at >> 8}.${at & 255}`);
  assert.equal(succeed('anna', '192.0.2.1'), 0);
  assert.ok(fail('anna', '192.0.2.2') > 0);
});

test('a success clears the failures at the login and costs the address nothing', () => {
  const { fail, succeed } = start();
  for (let round = 0; round < 50; round++) {
    assert.equal(succeed('anna', '192.0.2.1'), 0);
    assert.equal(succeed('bert', '192.0.2.1'), 0);
  }
  for (let at = 0; at < 5; at++) assert.equal(fail('anna', '192.0.2.1'), 0);
  assert.equal(succeed('anna', '192.0.2.1'), 0);
  for (let at = 0; at < 5; at++) assert.equal(fail('anna', '192.0.2.1'), 0);
});

test('after a quiet quarter of an hour nothing is held against anybody', async () => {
  const { time, fail } = start();
  for (let at = 0; at < 6; at++) fail('anna', '192.0.2.1');
  await time.advance(902_000);
  for (let at = 0; at < 6; at++) assert.equal(fail('anna', '192.0.2.1'), 0);
});

test('without an address all share one, so that nobody escapes by having none', () => {
  const { fail } = start();
  const passed = Array.from({ length: 100 }, () => fail(null, null)).filter((waitMs) => waitMs === 0);
  assert.equal(passed.length, 21);
});

test('whoever signed in before from an address does not wait for what others do there to other logins and links', () => {
  const { fail, succeed } = start();
  assert.equal(succeed('anna', '192.0.2.1'), 0);
  for (let at = 0; at < 100; at++) fail(null, '192.0.2.1');
  for (let at = 0; at < 100; at++) fail(`login${at}`, '192.0.2.1');
  assert.equal(succeed('anna', '192.0.2.1'), 0);
  assert.ok(fail('bert', '192.0.2.1') > 0, 'others there wait on, after the success of anna too');
  assert.ok(fail(null, '192.0.2.1') > 0);
  const passed = Array.from({ length: 1000 }, () => fail('anna', '192.0.2.1')).filter(
    (waitMs) => waitMs === 0,
  );
  assert.equal(passed.length, 6, 'and who guesses there at the same login is slowed down as anywhere');
});

test('what fails at a familiar login counts against its address all the same', () => {
  const { fail, succeed } = start();
  for (const login of ['anna', 'bert', 'carl', 'dora']) assert.equal(succeed(login, '192.0.2.1'), 0);
  for (const login of ['anna', 'bert', 'carl', 'dora']) {
    for (let at = 0; at < 6; at++) assert.equal(fail(login, '192.0.2.1'), 0);
  }
  assert.ok(fail('emil', '192.0.2.1') > 0);
});

test('attempts that nobody could judge count for nothing, however many and in whichever order they end', () => {
  const { throttle, fail } = start();
  const begin = (login: string | null) => {
    const attempt = throttle.begin(login, '192.0.2.1');
    assert.ok('wasNotJudged' in attempt, String(attempt.waitMs));
    return attempt;
  };
  for (let at = 0; at < 1000; at++) begin('anna').wasNotJudged();
  for (let at = 0; at < 1000; at++) begin(null).wasNotJudged();
  const forwards = Array.from({ length: 6 }, () => begin('anna'));
  for (const attempt of forwards) attempt.wasNotJudged();
  const backwards = Array.from({ length: 6 }, () => begin('anna'));
  for (const attempt of backwards.reverse()) attempt.wasNotJudged();
  for (let at = 0; at < 6; at++) assert.equal(fail('anna', '192.0.2.1'), 0);
  assert.equal(fail('anna', '192.0.2.1'), 1000);
});

test('an attempt that nobody could judge takes nothing from the failures before it', async () => {
  const { time, throttle, fail } = start();
  for (let at = 0; at < 6; at++) fail('anna', '192.0.2.1');
  await time.advance(1000);
  const attempt = throttle.begin('anna', '192.0.2.1');
  assert.ok('wasNotJudged' in attempt);
  attempt.wasNotJudged();
  assert.equal(fail('anna', '192.0.2.1'), 0);
  assert.equal(fail('anna', '192.0.2.1'), 2000, 'the seventh failure, as without it');
});
