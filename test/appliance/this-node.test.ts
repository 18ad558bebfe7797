import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { isProcessGone, thisNode } from '../../src/appliance/this-node.ts';

async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('a process of this host that has ended is known to be gone, a running one is not', async () => {
  const self = thisNode('own', 'embedded');
  assert.equal(isProcessGone({ ...self, pid: await endedProcess() }), true);
  assert.equal(isProcessGone({ ...self, pid: process.ppid }), false);
});

test('whoever had our own number was there before us', () => {
  assert.equal(isProcessGone(thisNode('own', 'redis')), true);
});

test('of processes elsewhere nothing is known: on another host, in another container, or nobody could tell', async () => {
  const gone = { ...thisNode('own', 'embedded'), pid: await endedProcess() };
  assert.equal(isProcessGone({ ...gone, host: 'elsewhere' }), false);
  assert.equal(isProcessGone({ ...gone, pidSpace: `${gone.pidSpace}0` }), false);
  assert.equal(isProcessGone({ ...gone, pidSpace: '' }), false);
});
