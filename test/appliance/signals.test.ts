import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { watchSignals } from '../../src/appliance/signals.ts';
import { recordedLog } from './fakes.ts';

function watched() {
  const { log, lines } = recordedLog();
  const exits: number[] = [];
  const source = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) });
  const signals = watchSignals(log, source);
  return { signals, lines, exits, send: (signal: NodeJS.Signals) => source.emit(signal, signal), source };
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} stops, a second signal ends at once with an exit code that is not 0`, async () => {
    const { signals, exits, send } = watched();
    send(signal);
    assert.equal(await signals.stop, signal);
    assert.deepEqual(exits, []);
    send('SIGTERM');
    assert.deepEqual(exits, [1]);
  });
}

test('SIGHUP is ignored with a line that says so', async () => {
  const { signals, lines, exits, send } = watched();
  send('SIGHUP');
  assert.match(lines[0]?.msg ?? '', /ignored.*configuration is read at start/);
  assert.deepEqual(exits, []);
  send('SIGTERM');
  await signals.stop;
});

test("SIGUSR1 has a handler, which keeps Node's from opening a debugger port", () => {
  const { source, lines, exits } = watched();
  assert.equal(source.emit('SIGUSR1', 'SIGUSR1'), true);
  assert.deepEqual(lines, []);
  assert.deepEqual(exits, []);
});

test('nothing stays registered after dispose', () => {
  const { signals, source } = watched();
  signals.dispose();
  assert.deepEqual(source.eventNames(), []);
});
