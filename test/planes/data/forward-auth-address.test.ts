import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemIn, startPlane, window } from './plane-harness.ts';

const FORWARD = '/v1/auth/forward/';
const CLIENT = { 'x-forwarded-for': '203.0.113.1' };

test('B38: a peer that is no listed proxy is counted by its own address, whatever it forwards', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { api: window(5) },
    config: { trustedProxies: ['10.0.0.0/8'] },
  });
  for (let time = 1; time <= 6; time++) {
    const answer = await plane.ask(`${FORWARD}api`, {
      'x-forwarded-for': `203.0.113.${time}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'other.example',
      'x-forwarded-port': '443',
    });
    assert.equal(answer.status, time <= 5 ? 200 : 429);
  }
  assert.deepEqual(new Set(plane.checks.map((check) => check.identifier)), new Set(['127.0.0.1']));
});

test('B38: two clients behind one proxy have two buckets', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  for (const client of ['203.0.113.1', '203.0.113.9']) {
    const statuses: number[] = [];
    for (let time = 0; time < 6; time++) {
      statuses.push((await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': client })).status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  }
});

test('B39: a forged first entry gives no bucket of its own, in one line, two lines or a list of 200', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { one: window(5), two: window(5), long: window(5), chain: window(5) },
  });
  const forms: Record<string, (forged: string) => string | string[]> = {
    one: (forged) => `${forged}, 203.0.113.1`,
    two: (forged) => [forged, '203.0.113.1'],
    long: (forged) =>
      [...Array(199).keys()]
        .map((part) => `198.51.${part}.${forged.split('.')[3]}`)
        .join(',')
        .concat(',203.0.113.1'),
    chain: (forged) => [`${forged},203.0.113.1`, '10.1.1.1', '10.2.2.2, 127.0.0.1'],
  };
  for (const [namespace, form] of Object.entries(forms)) {
    const statuses: number[] = [];
    for (let time = 1; time <= 10; time++) {
      statuses.push(
        (await plane.ask(`${FORWARD}${namespace}`, { 'x-forwarded-for': form(`198.51.100.${time}`) })).status,
      );
    }
    assert.deepEqual([namespace, ...statuses], [namespace, 200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  }
});

test('X-Forwarded-For that the walk needs and cannot read is refused, not skipped', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(5) } });
  for (const value of [
    '',
    ' ',
    ',',
    'unknown',
    '_hidden',
    '203.0.113.1, unknown',
    '203.0.113.1,10.0.0.1;',
    '203.0.113',
    '1.2.3.4:99999',
    '::ffff:1.2.3.400',
  ]) {
    const answer = await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': value });
    const { status, field } = problemIn(answer);
    assert.deepEqual([value, status, field], [value, 400, 'X-Forwarded-For']);
  }
  const beyond = await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': 'garbage, 203.0.113.1, 10.0.0.1' });
  assert.equal(beyond.status, 200);
  const local = await plane.ask(`${FORWARD}api`, { 'x-forwarded-for': '10.0.0.7' });
  assert.equal(local.status, 200);
  assert.deepEqual(
    plane.checks.map((check) => check.identifier),
    ['203.0.113.1', '10.0.0.7'],
  );
});

test('B40: an address is one bucket in all its spellings, and IPv6 counts by its prefix', async (t) => {
  const plane = await startPlane(t, { namespaces: { ip: window(5, { kind: 'ip' }) } });
  const ask = async (address: string) =>
    (await plane.ask(`${FORWARD}ip`, { 'x-forwarded-for': address })).status;
  const statuses: number[] = [];
  for (let host = 1; host <= 6; host++) statuses.push(await ask(`2001:db8:1:2::${host}`));
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  assert.equal(await ask('2001:db8:1:3::1'), 200);

  plane.checks.length = 0;
  for (const spelling of ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', '[2001:db8::1]:443', '2001:db8::1%eth0'])
    await ask(spelling);
  assert.equal(new Set(plane.checks.map((check) => check.identifier)).size, 1);
  plane.checks.length = 0;
  for (const spelling of ['::ffff:192.0.2.1', '192.0.2.1', '::FFFF:c000:201', '192.0.2.1:1234'])
    await ask(spelling);
  assert.deepEqual(new Set(plane.checks.map((check) => check.identifier)), new Set(['192.0.2.1']));
  plane.checks.length = 0;
  await ask('::ffff:198.51.100.1');
  assert.equal(plane.checks[0]?.identifier, '198.51.100.1');

  plane.checks.length = 0;
  await plane.ask(`${FORWARD}ip`, { 'x-forwarded-for': '2001:DB8:0:0::1' });
  assert.equal(plane.checks[0]?.identifier, '2001:db8::/64');
});

test('B40: an address that was found counts by its prefix in a namespace of kind text too, the default', async (t) => {
  const plane = await startPlane(t, {
    namespaces: { text: window(5), narrow: window(5, { ipv6Prefix: 128 }) },
  });
  const statuses = async (namespace: string) => {
    const answers: number[] = [];
    for (let host = 1; host <= 6; host++) {
      const headers = { 'x-forwarded-for': `2001:db8:1:2::${host}` };
      answers.push((await plane.ask(`${FORWARD}${namespace}`, headers)).status);
    }
    return answers;
  };
  assert.deepEqual(await statuses('text'), [200, 200, 200, 200, 200, 429]);
  assert.equal(plane.checks[0]?.identifier, '2001:db8:1:2::/64');
  assert.equal(await plane.remaining('text', '2001:db8:1:2::/64'), 0);
  assert.equal(await plane.remaining('text', '2001:db8:1:2::1'), 5);
  assert.deepEqual(await statuses('narrow'), [200, 200, 200, 200, 200, 200]);
  plane.checks.length = 0;
  await plane.ask(`${FORWARD}text`, { 'x-forwarded-for': '::ffff:192.0.2.1' });
  assert.equal(plane.checks[0]?.identifier, '192.0.2.1');
});

test('a peer on the Unix socket may state client addresses', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'brume-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const socketPath = join(directory, 'data.sock');
  const plane = await startPlane(t, {
    namespaces: { api: window(5) },
    config: { trustedProxies: [] },
    socketPath,
  });
  const status = await new Promise<number>((resolve, reject) => {
    request(
      { socketPath, path: `${FORWARD}api`, headers: { ...CLIENT, 'x-brume-key': plane.key }, agent: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    )
      .on('error', reject)
      .end();
  });
  assert.deepEqual([status, plane.checks[0]?.identifier], [200, '203.0.113.1']);
});
