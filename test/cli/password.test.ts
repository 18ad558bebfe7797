import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { runWith } from './fake-terminal.ts';

const TWO_LINES = 'correct horse battery\nanother horse battery\n';

/** A management plane whose change of passwords answers with this status. */
async function plane(t: TestContext, status: number) {
  const calls: unknown[] = [];
  const server = http.createServer(async (request, response) => {
    const body = await textOf(request);
    const { method, url, headers } = request;
    calls.push([method, url, headers.authorization, body === '' ? undefined : JSON.parse(body)]);
    if (method === 'POST') response.writeHead(201).end(JSON.stringify({ token: 'ses' }));
    else if (method === 'DELETE' || status === 204) response.writeHead(204).end();
    else response.writeHead(status).end(JSON.stringify({ code: 'bad_request', title: 'No.' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { calls, line: ['user', 'password', 'anna', '--url', url] };
}

test('user password signs in, changes the password and signs out; passwords come on standard input', async (t) => {
  const { calls, line } = await plane(t, 204);
  const { exitCode, stdout } = await runWith(line, { input: TWO_LINES });
  assert.equal(exitCode, 0);
  assert.match(stdout, /anna is changed/);
  const password = 'correct horse battery';
  assert.deepEqual(calls, [
    ['POST', '/v1/session', undefined, { login: 'anna', password }],
    ['PUT', '/v1/session/password', 'Bearer ses', { password, newPassword: 'another horse battery' }],
    ['DELETE', '/v1/session', 'Bearer ses', undefined],
  ]);
});

test('at a terminal it asks without showing what is typed, and for the new password twice', async (t) => {
  const { calls, line } = await plane(t, 204);
  const { exitCode, questions } = await runWith(line, { answer: 'correct horse battery' });
  assert.equal(exitCode, 0);
  assert.deepEqual(
    questions.map((question) => question.replace(/[:,].*/, '')),
    ['secret Password', 'secret New password', 'secret The new one again'],
  );
  assert.equal(calls.length, 3);
});

test('what is refused ends with 1, and the session ends all the same', async (t) => {
  const { calls, line } = await plane(t, 400);
  const { exitCode, stderr } = await runWith(line, { input: TWO_LINES });
  assert.equal(exitCode, 1);
  assert.match(stderr, /No\./);
  assert.doesNotMatch(stderr, /horse/);
  assert.deepEqual(
    calls.map((call) => [call].flat(1)[0]),
    ['POST', 'PUT', 'DELETE'],
  );
});

test('without two lines, or by http over a network, nobody is asked', async (t) => {
  const { calls, line } = await plane(t, 204);
  for (const input of ['', 'one line\n', 'a\nb\nc\n']) {
    const { exitCode, stderr } = await runWith(line, { input });
    assert.equal(exitCode, 2);
    assert.match(stderr, /two lines/);
  }
  const clear = ['user', 'password', 'anna', '--url', 'http://brume.example.org'];
  assert.equal((await runWith(clear, { input: TWO_LINES })).exitCode, 2);
  assert.deepEqual(calls, []);
});
