import assert from 'node:assert/strict';
import { test } from 'node:test';
import { introduction } from '../../../src/appliance/hand-over/introduction.ts';
import { SharedSockets } from '../../support/shared-sockets.ts';
import { Caller } from './calls.ts';
import { OtherSide } from './other-side.ts';

test('TERM while the next process prepares: it drains, and the stores are free', async (t) => {
  const shared = await SharedSockets.open(t);
  const process = await shared.start();
  const next = await OtherSide.next(t, shared.stateDir);
  next.say({ kind: 'hello', ...introduction() });
  await next.hear('welcome');
  process.kill('SIGTERM');
  await next.isGone();
  assert.equal(await process.ended, 0, process.log());
});

test('TERM while the stores are being given: what waits is answered all the same, and then it drains', async (t) => {
  const shared = await SharedSockets.open(t);
  const process = await shared.start();
  const caller = await Caller.of(shared, { login: 10 });
  const next = await OtherSide.next(t, shared.stateDir);
  await next.take();
  const waiting = caller.check('login', 'alice');
  process.kill('SIGTERM');
  await process.untilLogged('signal to stop');
  next.die();
  assert.equal((await waiting).body.remaining, 9);
  assert.equal(await process.ended, 0, process.log());
  assert.doesNotMatch(process.log(), /"level":"(error|fatal)"/);
});

test('TERM to a next process that waits for the stores ends it with 0, and the one that serves goes on', async (t) => {
  const shared = await SharedSockets.open(t);
  const process = await shared.start();
  const caller = await Caller.of(shared, { login: 10 });
  const next = await shared.launch();
  await next.untilLogged('the process that serves hands over');
  next.kill('SIGTERM');
  assert.equal(await next.ended, 0, next.log());
  // It may have been too late for that: then it served, and has drained.
  const serving = process.log().includes('handed over') ? await shared.start() : process;
  assert.equal((await caller.check('login', 'alice')).body.remaining, 9);
  assert.ok(serving.pid > 0);
});
