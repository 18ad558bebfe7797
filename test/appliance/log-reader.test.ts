import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { spawnBrume } from '../support/brume-process.ts';
import { stopChild } from '../support/child-process.ts';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http-call.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { waitFor } from '../support/wait-for.ts';

/** Their lines are more than the pipe to the reader, and what Node reads ahead of it, can hold. */
const REQUESTS = 3000;
const AT_A_TIME = 50;

function ask(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/health`, { agent }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

test('B66: while the reader of the log stalls, and HUP comes, every request is answered; then every line is there once', async (t) => {
  const directory = temporaryDirectory(t);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const brume = spawnBrume(
    {
      BRUME_LISTEN: `127.0.0.1:${port}`,
      BRUME_MANAGEMENT_LISTEN: 'off',
      BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
      BRUME_STATE_DIR: directory,
      BRUME_ACCESS_LOG: 'all',
    },
    'serve',
  );
  t.after(() => stopChild(brume, 'SIGKILL'));
  // Nobody reads brume.stdout until all is asked.
  await waitFor('readiness', async () => (await call(`${url}/ready`).catch(() => undefined))?.status === 200);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  t.after(() => agent.destroy());
  const statuses = new Set<number | undefined>();
  for (let at = 0; at < REQUESTS; at += AT_A_TIME) {
    if (at % 500 === 0) brume.kill('SIGHUP');
    for (const status of await Promise.all(Array.from({ length: AT_A_TIME }, () => ask(url, agent))))
      statuses.add(status);
  }
  assert.deepEqual([...statuses], [200]);

  const ended = stopChild(brume);
  let text = '';
  for await (const chunk of brume.stdout ?? []) text += String(chunk);
  assert.equal(await ended, 0);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ofHealth = lines.filter(({ msg, route }) => msg === 'request' && route === '/health');
  assert.equal(ofHealth.length, REQUESTS);
  assert.equal(new Set(ofHealth.map(({ requestId }) => requestId)).size, REQUESTS);
  assert.ok(lines.some(({ msg }) => String(msg).startsWith('ignored: the configuration is read')));
  assert.equal(lines.at(-1)?.msg, 'stopped');
});
