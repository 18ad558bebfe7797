import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Notifier } from '../../../src/appliance/systemd/notifier.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitFor } from '../../support/wait-for.ts';
import { recordedLog } from '../fakes.ts';

/** A systemd-notify that writes down what it is given, and ends the shell that calls it if it is told so. */
function house(t: TestContext, { watchdogMs }: { watchdogMs?: number } = {}) {
  const directory = temporaryDirectory(t);
  const [told, kill] = [join(directory, 'told'), join(directory, 'kill')];
  const script = `#!/bin/sh
echo "$NOTIFY_SOCKET $*" >>${told}
env >${join(directory, 'environment')}
if [ -e ${kill} ]; then rm ${kill}; kill -9 $PPID; fi
`;
  writeFileSync(join(directory, 'systemd-notify'), script, { mode: 0o755 });
  const { log, lines } = recordedLog();
  const path = `${directory}:/usr/bin:/bin`;
  const notifier = new Notifier({ notifySocket: '/run/notify', watchdogMs, path }, log);
  t.after(() => notifier.close());
  const states = (): string[] =>
    existsSync(told) ? readFileSync(told, 'utf8').split('\n').slice(0, -1) : [];
  return { notifier, states, lines, kill, directory };
}

test('states reach systemd-notify in their order, each as one argument', async (t) => {
  const { notifier, states, directory } = house(t);
  notifier.status('standby: two\nlines');
  notifier.ready();
  notifier.stopping(1500.2);
  await waitFor('all states', () => states().length === 4);
  assert.deepEqual(states(), [
    '/run/notify STATUS=standby: two lines',
    '/run/notify READY=1',
    '/run/notify STOPPING=1',
    '/run/notify EXTEND_TIMEOUT_USEC=1501000',
  ]);
  const environment = readFileSync(join(directory, 'environment'), 'utf8');
  assert.deepEqual(
    environment.split('\n').filter((line) => !/^(PATH|NOTIFY_SOCKET|PWD|OLDPWD|SHLVL|_)=|^$/.test(line)),
    [],
    'nothing of our environment, which may hold passwords',
  );
});

test('what was told before the end is still handed on, and nothing after it', async (t) => {
  const { notifier, states } = house(t);
  notifier.status('one');
  notifier.close();
  notifier.status('two');
  await waitFor('the first state', () => states().length > 0);
  assert.deepEqual(states(), ['/run/notify STATUS=one']);
});

test('the watchdog is told again and again, and a loop that stands still is not', async (t) => {
  const { states } = house(t, { watchdogMs: 100 });
  await waitFor('two signs of life', () => states().length >= 2);
  assert.ok(states().every((state) => state === '/run/notify WATCHDOG=1'));
  const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  // What was told before is still handed on, however slowly; then nothing comes any more.
  let [before, after] = [-1, states().length];
  for (let round = 0; round < 60 && before !== after; round++) {
    before = after;
    standStill(500);
    after = states().length;
  }
  assert.equal(after, before);
});

test('a relay that ended is told and replaced with the next state', async (t) => {
  const { notifier, states, lines, kill } = house(t);
  writeFileSync(kill, '');
  notifier.status('one');
  await waitFor('the loss to be logged', () => lines.length > 0);
  notifier.status('two');
  await waitFor('the second state', () => states().length === 2);
  assert.deepEqual(states(), ['/run/notify STATUS=one', '/run/notify STATUS=two']);
  assert.deepEqual(
    lines.map(({ level, reason }) => [level, reason]),
    [['warn', 'SIGKILL']],
  );
});

test('where nobody wants to know nothing is started', (t) => {
  const { log } = recordedLog();
  const notifier = new Notifier({ notifySocket: undefined, watchdogMs: 10, path: '/nonexistent' }, log);
  t.after(() => notifier.close());
  notifier.ready();
});
