import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { ApiClient } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { sampleAnswer } from './sample-answer.ts';
import { always, socketServer } from './socket-server.ts';

const RULE = { limits: [{ algorithm: 'gcra', limit: 1, windowMs: 1000 }] };

describe('each method makes the call of its route', () => {
  const calls: [expected: string, call: (client: ApiClient) => Promise<unknown>][] = [
    ['GET /v1/projects ', (client) => client.listProjects()],
    ['POST /v1/projects {"name":"shop"}', (client) => client.createProject('shop')],
    ['GET /v1/projects/shop ', (client) => client.showProject('shop')],
    ['DELETE /v1/projects/shop ', (client) => client.deleteProject('shop')],
    ['GET /v1/projects/shop/keys ', (client) => client.listKeys('shop')],
    [
      'POST /v1/projects/shop/keys {"name":"k","kind":"service"}',
      (client) => client.createKey('shop', { name: 'k', kind: 'service' }),
    ],
    ['DELETE /v1/projects/shop/keys/key_1 ', (client) => client.revokeKey('shop', 'key_1')],
    ['GET /v1/projects/shop/namespaces ', (client) => client.listNamespaces('shop')],
    [
      `POST /v1/projects/shop/namespaces {"name":"n","rule":${JSON.stringify(RULE)}}`,
      (client) => client.createNamespace('shop', 'n', RULE),
    ],
    ['GET /v1/projects/shop/namespaces/n ', (client) => client.showNamespace('shop', 'n')],
    [
      `PUT /v1/projects/shop/namespaces/n {"rule":${JSON.stringify(RULE)}}`,
      (client) => client.updateNamespace('shop', 'n', RULE),
    ],
    ['DELETE /v1/projects/shop/namespaces/n ', (client) => client.deleteNamespace('shop', 'n')],
    [
      'POST /v1/projects/shop/limit {"namespace":"n","identifier":"ü","cost":2}',
      (client) => client.limit('shop', { namespace: 'n', identifier: 'ü', cost: 2 }),
    ],
    [
      'POST /v1/projects/shop/peek {"namespace":"n","identifier":"i"}',
      (client) => client.peek('shop', { namespace: 'n', identifier: 'i' }),
    ],
    [
      'POST /v1/projects/shop/limit {"namespace":"n","identifier":"i","requestId":"r 1"}',
      (client) => client.limit('shop', { namespace: 'n', identifier: 'i', requestId: 'r 1' }),
    ],
    [
      'POST /v1/projects/shop/reset {"namespace":"n","identifier":"i"}',
      (client) => client.reset('shop', { namespace: 'n', identifier: 'i' }),
    ],
    [
      'POST /v1/projects {"name":"shop","organisation":"retail"}',
      (client) => client.createProject('shop', { organisation: 'retail' }),
    ],
    ['GET /v1/projects?organisation=a%26b ', (client) => client.listProjects({ organisation: 'a&b' })],
    ['GET /v1/projects/shop/keys/key_1 ', (client) => client.showKey('shop', 'key_1')],
    [
      'POST /v1/projects/shop/keys/key_1/rotate {"overlapMs":0}',
      (client) => client.rotateKey('shop', 'key_1', { overlapMs: 0 }),
    ],
    ['GET /v1/projects/shop/namespaces/n/top?limit=5 ', (client) => client.top('shop', 'n', { limit: 5 })],
    ['GET /v1/session ', (client) => client.whoAmI()],
    ['GET /v1/organisations/retail ', (client) => client.organisations.show('retail')],
    ['GET /v1/tiers ', (client) => client.tiers.list()],
    ['DELETE /v1/tiers/free ', (client) => client.tiers.delete('free')],
    ['PUT /v1/projects/shop/tier {"tier":null}', (client) => client.tiers.setOfProject('shop', null)],
    ['GET /v1/projects/a%2F..%2Fb%3Fc%20%C3%BC ', (client) => client.showProject('a/../b?c ü')],
  ];
  for (const [expected, call] of calls) {
    test(expected, async (t) => {
      let seen = '';
      const socketPath = await socketServer(t, async (request, response) => {
        seen = `${request.method} ${request.url} ${await textOf(request)}`;
        response.end(sampleAnswer(request));
      });
      await call(new ApiClient({ socketPath }));
      assert.equal(seen, expected);
    });
  }
});

test('a list gives its items, an answer without a body nothing', async (t) => {
  const list = await socketServer(t, always(200, { items: [{ id: 'prj_1' }] }));
  assert.deepEqual(await new ApiClient({ socketPath: list }).listProjects(), [{ id: 'prj_1' }]);
  const empty = await socketServer(t, always(204, undefined));
  assert.equal(await new ApiClient({ socketPath: empty }).deleteProject('p'), undefined);
});

test('a problem document becomes an ApiError with all its members', async (t) => {
  const problem = {
    status: 400,
    code: 'bad_request',
    title: 'Not valid.',
    detail: 'is too large',
    field: 'rule.limits[0].burst',
  };
  const socketPath = await socketServer(t, always(400, problem, 'application/problem+json'));
  await assert.rejects(new ApiClient({ socketPath }).listProjects(), (error) => {
    assert.ok(error instanceof ApiError);
    const { status, code, detail, field, message } = error;
    assert.deepEqual(
      { status, code, detail, field, message },
      {
        status: 400,
        code: 'bad_request',
        detail: 'is too large',
        field: 'rule.limits[0].burst',
        message: 'is too large',
      },
    );
    return true;
  });
});

describe('an answer that is not Brume’s is an error, whatever its status', () => {
  const answers: Record<string, [number, unknown]> = {
    'an error page': [502, '<html>'],
    'a page instead of JSON': [200, undefined],
    'a list instead of an object': [500, []],
    null: [200, null],
    'a redirect': [302, {}],
  };
  for (const [name, [status, body]] of Object.entries(answers)) {
    test(name, async (t) => {
      const socketPath = await socketServer(t, always(status, body));
      await assert.rejects(new ApiClient({ socketPath }).showProject('p'), {
        name: 'ApiError',
        code: 'unexpected_answer',
        status,
      });
    });
  }
});

test('a URL with a path and headers works like a socket', async (t) => {
  const server = createServer((request, response) => {
    response.end(JSON.stringify({ id: request.url, key: request.headers['x-api-key'] }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new ApiClient({ url: `http://127.0.0.1:${port}/brume/`, headers: { 'x-api-key': 'k' } });
  assert.deepEqual(await client.showProject('p'), { id: '/brume/v1/projects/p', key: 'k' });
});
