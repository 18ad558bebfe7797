import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, load } from './faults-of.ts';

function isTaken(variable: string, text: string): boolean {
  return faultsOf({ [variable]: text }).length === 0;
}

test('a listener has an IP address, or localhost, and a port', () => {
  const listen = (text: string) => load({ BRUME_LISTEN: text }).listen;
  assert.deepEqual(listen('0.0.0.0:1'), { host: '0.0.0.0', port: 1 });
  assert.deepEqual(listen('[::1]:65535'), { host: '::1', port: 65535 });
  assert.deepEqual(listen('localhost:8600'), { host: 'localhost', port: 8600 });
  assert.deepEqual(listen('127.0.0.1:0'), { host: '127.0.0.1', port: 0 });
  for (const text of [
    '::1:8600',
    '[127.0.0.1]:80',
    'example.org:80',
    '1.2.3:80',
    'http://1.2.3.4:80',
    'OFF',
    '*:80',
  ]) {
    assert.ok(!isTaken('BRUME_LISTEN', text), text);
  }
});

test('a socket is an absolute path that fits into sun_path', () => {
  assert.equal(load({ BRUME_SOCKET: '/run//brume/b.sock' }).socket, '/run/brume/b.sock');
  assert.ok(isTaken('BRUME_SOCKET', `/${'x'.repeat(106)}`));
  for (const text of [
    `/${'x'.repeat(107)}`,
    `/${'é'.repeat(60)}`,
    'b.sock',
    './b.sock',
    '/run/brume/',
    '/a\0b',
    'OFF',
  ]) {
    assert.ok(!isTaken('BRUME_SOCKET', text), text);
  }
  assert.ok(!isTaken('BRUME_ADMIN_SOCKET', 'off'));
});

test('the state directory is an absolute path', () => {
  assert.equal(load({ BRUME_STATE_DIR: '/srv/../srv/brume' }).stateDir, '/srv/brume');
  for (const text of ['brume', '~/brume', './x', 'off']) assert.ok(!isTaken('BRUME_STATE_DIR', text), text);
});

test('the access log is off, denied, a sample or all', () => {
  const accessLog = (text: string) => load({ BRUME_ACCESS_LOG: text }).accessLog;
  assert.deepEqual(accessLog('off'), { mode: 'off' });
  assert.deepEqual(accessLog('denied'), { mode: 'denied' });
  assert.deepEqual(accessLog('all'), { mode: 'all' });
  assert.deepEqual(accessLog('sample:1'), { mode: 'sample', oneIn: 1 });
  for (const text of [
    'sample',
    'sample:0',
    'sample:',
    'sample:1e3',
    'sample:-1',
    'sample: 5',
    'All',
    'true',
  ]) {
    assert.ok(!isTaken('BRUME_ACCESS_LOG', text), text);
  }
});

test('the log level is one of four words', () => {
  for (const text of ['error', 'warn', 'info', 'debug']) assert.ok(isTaken('BRUME_LOG_LEVEL', text));
  for (const text of ['INFO', 'trace', '30', 'silent']) assert.ok(!isTaken('BRUME_LOG_LEVEL', text), text);
});

test('the age of a snapshot is a duration in the unit that suits it, or 0', () => {
  const ageMs = (text: string) => load({ BRUME_SNAPSHOT_MAX_AGE: text }).snapshotMaxAge;
  assert.deepEqual(
    ['7d', '12h', '30m', '45s', '0'].map(ageMs),
    [604_800_000, 43_200_000, 1_800_000, 45_000, 0],
  );
  assert.equal(load({}).snapshotMaxAge, 604_800_000);
  for (const text of ['7', '07d', '0d', '1w', '1.5h', '-1d', '1d12h', '367d', '7 d', '1000ms', 'off']) {
    assert.ok(!isTaken('BRUME_SNAPSHOT_MAX_AGE', text), text);
  }
});

test('a rate is a whole number of calls a second, or off', () => {
  const rate = (text: string) => load({ BRUME_ADDRESS_RATE: text }).addressRate;
  assert.deepEqual(['1', '1000000', 'off', '0'].map(rate), [1, 1_000_000, null, null]);
  assert.deepEqual([load({}).addressRate, load({}).actorRate, load({}).actorBurst], [100, null, null]);
  for (const text of ['OFF', '00', '-1', '1.5', '1e3', '1000001', '', '10/s'])
    assert.ok(!isTaken('BRUME_ADDRESS_RATE', text), text);
});
