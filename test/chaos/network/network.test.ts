import { deepEqual, equal, rejects } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Network, type Partition } from './network.ts';

/** Says back what it is told. */
const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
const network = new Network();
const OWN = [process.pid];
let target = 0;
let port = 0;

function partition(parts: Partial<Partition>): Partition {
  return { to: [target], cut: 'lost', direction: 'both', ...parts };
}

async function caller(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  return socket;
}

async function said(socket: Socket, text: string): Promise<string> {
  const answer = once(socket, 'data');
  socket.write(text);
  return (await answer)[0] as string;
}

describe('the network of the chaos suite', () => {
  before(async () => {
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    target = (echo.address() as { port: number }).port;
    port = await network.relayTo(target);
  });

  after(async () => {
    await network.stop();
    echo.close();
  });

  it('passes on what was held when the partition ends, on connections old and new', async () => {
    const old = await caller();
    equal(await said(old, 'before'), 'before');
    network.divide([partition({ cut: 'held' })]);
    const young = await caller();
    const heard: string[] = [];
    for (const socket of [old, young]) socket.on('data', (text) => heard.push(String(text)));
    const both = Promise.all([said(old, 'old'), said(young, 'young')]);
    // A round to the same server by another way: what is not held would have come by then.
    await once(connect(target, '127.0.0.1').end('x').resume(), 'close');
    deepEqual(heard, []);
    network.mend();
    deepEqual(await both, ['old', 'young']);
    old.destroy();
    young.destroy();
  });

  it('never passes on what was lost, nor says that the connection is dead', async () => {
    const old = await caller();
    equal(await said(old, 'before'), 'before');
    network.divide([partition({ direction: 'there' })]);
    old.write('lost');
    await once(connect(target, '127.0.0.1').end('x').resume(), 'close');
    network.mend();
    const heard: string[] = [];
    old.on('data', (text) => heard.push(String(text)));
    old.write('after');
    const young = await caller();
    equal(await said(young, 'other'), 'other');
    deepEqual([heard, old.readyState], [[], 'open']);
    old.destroy();
    young.destroy();
  });

  it('cuts off those processes that are named, or all others', async () => {
    const own = await caller();
    equal(await said(own, 'before'), 'before');
    const script = `const s = require('node:net').connect(${port}, '127.0.0.1');
      s.write('theirs'); s.on('data', (d) => { process.stdout.write(d); s.write('again') });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    network.divide([partition({ exceptFrom: OWN })]);
    child.stdout.resume();
    equal(await said(own, 'spared'), 'spared');
    network.divide([partition({ from: [child.pid ?? 0] })]);
    equal(await said(own, 'not meant'), 'not meant');
    network.divide([partition({ from: OWN, direction: 'back', cut: 'held' })]);
    let isAnswered = false;
    const answer = said(own, 'held').then(() => {
      isAnswered = true;
    });
    await once(connect(target, '127.0.0.1').end('x').resume(), 'close');
    equal(isAnswered, false);
    network.mend();
    await answer;
    child.kill();
    own.destroy();
  });

  it('refuses connections as long as it is told to', async () => {
    const old = await caller();
    const ended = once(old, 'close');
    await network.refuse(target);
    await ended;
    await rejects(caller(), /ECONNREFUSED/);
    await network.accept(target);
    const young = await caller();
    equal(await said(young, 'again'), 'again');
    young.destroy();
  });
});
