import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceManager } from '../../src/config/service-manager.ts';

const PID = 4242;

test('sockets are told apart by their names, in whatever order they come', () => {
  const env = { LISTEN_PID: '4242', LISTEN_FDS: '3', LISTEN_FDNAMES: 'admin:data:management' };
  assert.deepEqual(serviceManager(env, PID).sockets, [
    { name: 'admin', fd: 3 },
    { name: 'data', fd: 4 },
    { name: 'management', fd: 5 },
  ]);
});

test('sockets without a name have an empty one', () => {
  const env = { LISTEN_PID: '4242', LISTEN_FDS: '2', LISTEN_FDNAMES: 'data' };
  assert.deepEqual(
    serviceManager(env, PID).sockets.map(({ name }) => name),
    ['data', ''],
  );
});

for (const [what, env] of [
  ['no variables', {}],
  ['another process', { LISTEN_PID: '4243', LISTEN_FDS: '1' }],
  ['no process', { LISTEN_FDS: '1' }],
  ['no number', { LISTEN_PID: '4242', LISTEN_FDS: '1x' }],
  ['a number that no unit reaches', { LISTEN_PID: '4242', LISTEN_FDS: '999999999' }],
] as const) {
  test(`variables of ${what} hand over nothing`, () => {
    assert.deepEqual(serviceManager(env, PID).sockets, []);
  });
}

test('the watchdog is read in milliseconds, and only if it is meant for this process', () => {
  assert.equal(serviceManager({ WATCHDOG_USEC: '20000000', WATCHDOG_PID: '4242' }, PID).watchdogMs, 20_000);
  assert.equal(serviceManager({ WATCHDOG_USEC: '20000000' }, PID).watchdogMs, 20_000);
  assert.equal(serviceManager({ WATCHDOG_USEC: '20000000', WATCHDOG_PID: '1' }, PID).watchdogMs, undefined);
  assert.equal(serviceManager({ WATCHDOG_USEC: '0' }, PID).watchdogMs, undefined);
  assert.equal(serviceManager({}, PID).watchdogMs, undefined);
});

test('an empty NOTIFY_SOCKET is none', () => {
  assert.equal(serviceManager({ NOTIFY_SOCKET: '' }, PID).notifySocket, undefined);
  assert.equal(
    serviceManager({ NOTIFY_SOCKET: '/run/systemd/notify' }, PID).notifySocket,
    '/run/systemd/notify',
  );
});

test('the directory below /run is the one that there is; of several none is its own', () => {
  assert.equal(
    serviceManager({ RUNTIME_DIRECTORY: '/run/brume/blue' }, PID).runtimeDirectory,
    '/run/brume/blue',
  );
  for (const env of [{}, { RUNTIME_DIRECTORY: '' }, { RUNTIME_DIRECTORY: '/run/a:/run/b' }]) {
    assert.equal(serviceManager(env, PID).runtimeDirectory, undefined);
  }
});
