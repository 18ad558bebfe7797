import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { introduction } from '../../../src/appliance/hand-over/introduction.ts';
import { lockStateDir, type StateDirLock } from '../../../src/stores/sql/state-dir-lock.ts';
import { type OnSharedSockets, SharedSockets } from '../../support/shared-sockets.ts';
import { Caller } from './calls.ts';
import { OtherSide } from './other-side.ts';

interface Meeting {
  readonly next: OnSharedSockets;
  readonly serving: OtherSide;
  readonly caller: Caller;
  /** Ends the process before: what it said last has been said, and the lock is free. */
  kill(): void;
  giveLockBack(): void;
}

/** A process on stores in which one call was counted, and the test in the place of the one before it. */
async function meeting(t: TestContext): Promise<Meeting> {
  const shared = await SharedSockets.open(t);
  const first = await shared.start();
  const caller = await Caller.of(shared, { login: 10 });
  await caller.check('login', 'alice');
  first.kill('SIGTERM');
  await first.ended;
  const lock: StateDirLock = lockStateDir(shared.stateDir);
  const coming = OtherSide.serving(t, shared.stateDir);
  const next = await shared.launch();
  const serving = await coming;
  await serving.hear('hello');
  const giveLockBack = (): void => lock.giveBack();
  const kill = (): void => {
    serving.die();
    giveLockBack();
  };
  return { next, serving, caller, giveLockBack, kill };
}

async function assertServes({ next, caller }: Meeting): Promise<void> {
  await next.untilLogged('"msg":"ready"');
  assert.equal((await caller.check('login', 'alice')).body.remaining, 8);
}

const welcome = { kind: 'welcome', ...introduction(), generation: 6 } as const;

test('killed before it answers: the next process opens the stores', async (t) => {
  const met = await meeting(t);
  met.kill();
  await assertServes(met);
});

test('killed while the next process reads beforehand, or asks: it takes the stores as they are on disk', async (t) => {
  const met = await meeting(t);
  met.serving.say(welcome);
  await met.serving.hear('take');
  met.kill();
  await assertServes(met);
});

test('killed when it has given the stores away: the next process serves', async (t) => {
  const met = await meeting(t);
  met.serving.say(welcome);
  await met.serving.hear('take');
  met.serving.say({ kind: 'yours', generation: 7 });
  met.kill();
  await assertServes(met);
});

test('killed when the next process has the stores open: that serves', async (t) => {
  const met = await meeting(t);
  met.serving.say(welcome);
  await met.serving.hear('take');
  met.serving.say({ kind: 'yours', generation: 7 });
  met.giveLockBack();
  assert.equal((await met.serving.hear('opened')).generation, 7);
  met.serving.die();
  await assertServes(met);
});

test('it keeps the stores: the start of the next process fails and says why', async (t) => {
  const met = await meeting(t);
  met.serving.say(welcome);
  await met.serving.hear('take');
  met.serving.say({ kind: 'kept', reason: 'its disk is full' });
  assert.equal(await met.next.ended, 1);
  assert.match(met.next.log(), /"level":"fatal".*the process that serves keeps the stores: its disk is full/);
});

test('it takes the stores back: the next process ends at once and says why', async (t) => {
  const met = await meeting(t);
  met.serving.say(welcome);
  await met.serving.hear('take');
  met.serving.say({ kind: 'yours', generation: 7 });
  met.serving.say({ kind: 'withdrawn', reason: 'it did not serve within 2000 ms' });
  assert.equal(await met.next.ended, 1);
  assert.match(met.next.log(), /it has taken them back: it did not serve within 2000 ms/);
});

test('one of another protocol is asked to end, and then the stores are opened', async (t) => {
  const met = await meeting(t);
  met.serving.say({ ...welcome, protocol: 99 });
  await met.serving.hear('stand_down');
  met.kill();
  await assertServes(met);
});
