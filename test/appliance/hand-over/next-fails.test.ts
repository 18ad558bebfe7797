import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { introduction } from '../../../src/appliance/hand-over/introduction.ts';
import { lockStateDir } from '../../../src/stores/sql/state-dir-lock.ts';
import { askAdmin } from '../../support/admin-socket.ts';
import { type OnSharedSockets, SharedSockets } from '../../support/shared-sockets.ts';
import { Caller, type Ended } from './calls.ts';
import { OtherSide } from './other-side.ts';

interface Serving {
  readonly shared: SharedSockets;
  readonly process: OnSharedSockets;
  readonly caller: Caller;
}

async function serving(t: TestContext): Promise<Serving> {
  const shared = await SharedSockets.open(t);
  const process = await shared.start();
  return { shared, process, caller: await Caller.of(shared, { login: 10 }) };
}

/** A call that waits is answered by the process that was there before, and counted once; and so are others after it. */
async function assertServesOn({ shared, process, caller }: Serving, waiting: Promise<Ended>): Promise<void> {
  const { status, body } = await waiting;
  assert.deepEqual([status, body.remaining, body.degraded], [200, 8, false]);
  assert.equal((await caller.check('login', 'alice')).body.remaining, 7);
  await process.untilLogged('the hand-over failed: this process serves on');
  // And it can still hand over.
  const next = await shared.start();
  assert.equal(await process.ended, 0);
  assert.equal((await caller.check('login', 'alice')).body.remaining, 6);
  next.kill('SIGTERM');
  assert.equal(await next.ended, 0);
}

test('a next process that ends before it asks for the stores changes nothing', async (t) => {
  const { shared, process, caller } = await serving(t);
  (await OtherSide.next(t, shared.stateDir)).die();
  const second = await OtherSide.next(t, shared.stateDir);
  second.say({ kind: 'hello', ...introduction() });
  await second.hear('welcome');
  assert.equal((await caller.check('login', 'alice')).body.remaining, 9);
  second.die();
  assert.equal((await caller.check('login', 'alice')).body.remaining, 8);
  assert.doesNotMatch(process.log(), /handing over/);
});

test('of two next processes one is refused', async (t) => {
  const { shared } = await serving(t);
  const first = await OtherSide.next(t, shared.stateDir);
  first.say({ kind: 'hello', ...introduction() });
  await first.hear('welcome');
  const second = await shared.launch();
  assert.equal(await second.ended, 1);
  assert.match(second.log(), /hands nothing over: it is handing over to another process/);
});

test('killed once it was given the stores: the process before it serves on, and nothing is lost', async (t) => {
  const set = await serving(t);
  await set.caller.check('login', 'alice');
  const next = await OtherSide.next(t, set.shared.stateDir);
  await next.take();
  const waiting = set.caller.check('login', 'alice');
  next.die();
  await assertServesOn(set, waiting);
});

test('killed with the lock, or just before it serves: the process before it serves on, and nothing is lost', async (t) => {
  const set = await serving(t);
  await set.caller.check('login', 'alice');
  const next = await OtherSide.next(t, set.shared.stateDir);
  const { generation } = await next.take();
  const lock = lockStateDir(set.shared.stateDir);
  const waiting = set.caller.check('login', 'alice');
  next.say({ kind: 'opened', generation, path: join(set.shared.directory, 'none.sock'), token: 'token' });
  await next.hear('released');
  lock.giveBack();
  next.die();
  await assertServesOn(set, waiting);
});

test('not ready in time: it is told so, and the process before it has the stores back', async (t) => {
  const set = await serving(t);
  await set.caller.check('login', 'alice');
  const next = await OtherSide.next(t, set.shared.stateDir);
  await next.take({ withinMs: 100 });
  const waiting = set.caller.check('login', 'alice');
  assert.match((await next.hear('withdrawn')).reason, /within 100 ms/);
  await assertServesOn(set, waiting);
});

test('one that hangs with the lock is killed', async (t) => {
  const set = await serving(t);
  await set.caller.check('login', 'alice');
  const next = await OtherSide.next(t, set.shared.stateDir);
  const holding = `
    const { lockStateDir } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/stores/sql/state-dir-lock.ts'))});
    process.stdin.once('data', () => {
      globalThis.lock = lockStateDir(${JSON.stringify(set.shared.stateDir)});
      console.log('locked');
    });
    console.log('there');`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', holding], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => holder.kill('SIGKILL'));
  const ended = once(holder, 'exit');
  await once(holder.stdout, 'data');
  await next.take({ withinMs: 3000, pid: holder.pid ?? 0 });
  holder.stdin.write('lock\n');
  await once(holder.stdout, 'data');
  const waiting = set.caller.check('login', 'alice');
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  await assertServesOn(set, waiting);
});

test('changes of the configuration that are asked for meanwhile are made, by whoever serves then', async (t) => {
  const { shared } = await serving(t);
  let [isOver, made] = [false, 0];
  const making = (async () => {
    for (; !isOver; made++)
      await askAdmin(shared.adminPath, 'POST', '/v1/projects', { name: `project-${made}` });
  })();
  await shared.start();
  await shared.start();
  isOver = true;
  await making;
  const { items } = (await askAdmin(shared.adminPath, 'GET', '/v1/projects?limit=1000')) as {
    items: { name: string }[];
  };
  assert.equal(items.filter(({ name }) => name.startsWith('project-')).length, made);
  assert.ok(made > 0);
});
