import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pastedLines } from '../runbooks/executed.ts';
import { waitFor } from '../support/wait-for.ts';
import { Guest } from './guest.ts';
import { logged, serving, startAnew } from './started-brume.ts';
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

/** How many its processes were told to stop by. */
async function signalsTo(unit = ''): Promise<number> {
  return (await logged(guest, unit)).filter(({ msg }) => msg === 'signal to stop').length;
}

/** A reload while a call waits for its own body, so that the process before it drains. */
async function reloadBesideCall(configuration = '') {
  await startAnew(guest, configuration);
  const first = await serving(guest);
  assert.equal(await drainingSeconds(), 0);
  const project = `shop-${configuration.length}`;
  await guest.must('brume', 'project', 'create', project);
  const { key } = JSON.parse(await guest.must('brume', 'key', 'create', project, 'web', '--json'));
  const head = `POST /v1/limit HTTP/1.1\\r\\nHost: brume\\r\\nX-API-Key: ${key}\\r\\nContent-Type: application/json\\r\\nContent-Length: 10\\r\\n\\r\\n`;
  const slow = guest.run(
    'bash',
    '-c',
    `exec 3<>/dev/tcp/127.0.0.1/8600; printf '${head}' >&3; read -r -t 60 -u 3`,
  );
  await waitFor('the request', async () => (await inFlight()) === 1);
  const signals = await signalsTo(first?.unit);
  await guest.must('systemctl', 'reload', 'brume.service');
  await waitFor('the drain', async () => (await drainingSeconds()) > 0);
  assert.notEqual((await serving(guest))?.unit, first?.unit);
  return { first, slow, signals };
}

test('after a reload the next process tells that the one before it still drains, until that has ended', async () => {
  // Its body never comes: the drain waits until the request has timed out, 10 s after it began.
  const { first, slow } = await reloadBesideCall();

  await slow;
  await waitFor('its end', async () => (await drainingSeconds()) === 0);
  const left = COLOURS.filter((unit) => unit !== first?.unit);
  assert.deepEqual(
    (await guest.must('ls', '/run/brume')).split('\n').filter((name) => !name.endsWith('.sock')),
    left.map((unit) => /blue|green/.exec(unit)?.[0]),
  );
});

test('the commands of the runbook name the process that drains, end it, and let the one that serves be', async () => {
  const lines = pastedLines(await guest.must('brume', 'runbook', 'show', 'drain-stuck'));
  const [naming = '', ending = '', ...more] = lines.filter((line) => line.includes('list-units'));
  assert.deepEqual(more, []);
  const { first, slow, signals } = await reloadBesideCall(
    'BRUME_DRAIN_MS=90000\nBRUME_REQUEST_TIMEOUT_MS=90000\n',
  );
  const next = await serving(guest);
  assert.equal((await guest.must('bash', '-c', naming)).split(' ')[0], first?.unit);
  // It handed over its stores, and was ended without a signal: this is its first one.
  await guest.must('bash', '-c', ending);
  await waitFor('the first signal', async () => (await signalsTo(first?.unit)) > signals);
  await guest.must('bash', '-c', ending);
  await waitFor('its end', async () => (await drainingSeconds()) === 0);
  await slow;
  assert.deepEqual(await serving(guest), next);
  // Nobody drains any more: nobody is ended.
  assert.equal(await guest.must('bash', '-c', naming), '');
  await guest.must('bash', '-c', ending);
  assert.deepEqual(await serving(guest), next);
});
