import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { serving, startAnew } from './started-brume.ts';
import { COLOURS } from './states.ts';

let guest: Guest;
before(async () => {
  guest = await Guest.boot();
});
after(() => guest?.end());

/** For how many seconds, as the process says that answers. */
const drainingSeconds = () => metric('brume_predecessor_draining_seconds');
const inFlight = () => metric('brume_requests_in_flight{listener="data"}');

async function metric(series: string): Promise<number> {
  const { body } = await guest.get('http://127.0.0.1:8610/metrics');
  const line = body.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.split(' ').at(-1));
}

test('after a reload the next process tells that the one before it still drains, until that has ended', async () => {
  await startAnew(guest);
  const first = await serving(guest);
  assert.equal(await drainingSeconds(), 0);
  await guest.must('brume', 'project', 'create', 'shop');
  const { key } = JSON.parse(await guest.must('brume', 'key', 'create', 'shop', 'web', '--json'));
  // Its body never comes: the drain waits until the request has timed out, 10 s after it began.
  const head = `POST /v1/limit HTTP/1.1\\r\\nHost: brume\\r\\nX-API-Key: ${key}\\r\\nContent-Type: application/json\\r\\nContent-Length: 10\\r\\n\\r\\n`;
  const slow = guest.run(
    'bash',
    '-c',
    `exec 3<>/dev/tcp/127.0.0.1/8600; printf '${head}' >&3; read -r -t 60 -u 3`,
  );
  await waitFor('the request', async () => (await inFlight()) === 1);
  await guest.must('systemctl', 'reload', 'brume.service');
  await waitFor('the drain', async () => (await drainingSeconds()) > 0);
  assert.notEqual((await serving(guest))?.unit, first?.unit);

  await slow;
  await waitFor('its end', async () => (await drainingSeconds()) === 0);
  const left = COLOURS.filter((unit) => unit !== first?.unit);
  assert.deepEqual(
    (await guest.must('ls', '/run/brume')).split('\n').filter((name) => !name.endsWith('.sock')),
    left.map((unit) => /blue|green/.exec(unit)?.[0]),
  );
});
