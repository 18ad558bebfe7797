import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import { lateCompilers } from '../../../src/planes/hooks/late-compilers.ts';

const body = { type: 'object', required: ['limit'], properties: { limit: { type: 'integer' } } };
const response = { 200: { type: 'object', properties: { limit: { type: 'integer' } } } };

function app(): FastifyInstance {
  return fastify({ schemaController: { compilersFactory: lateCompilers() } });
}

describe('schemas that are compiled when they are needed', () => {
  it('hold for the first request and those after it: what comes in, and what goes out', async () => {
    const one = app();
    one.post('/limits', { schema: { body, response } }, (_request, reply) =>
      reply.send({ limit: 5, secret: 'not in the schema' }),
    );
    for (let time = 0; time < 2; time++) {
      const refused = await one.inject({ method: 'POST', url: '/limits', payload: { limit: 'five' } });
      assert.equal(refused.statusCode, 400);
      assert.match(refused.json().message, /body\/limit must be integer/);
      const passed = await one.inject({ method: 'POST', url: '/limits', payload: { limit: 5 } });
      assert.deepEqual([passed.statusCode, passed.json()], [200, { limit: 5 }]);
    }
    // What one call found is not said of the next.
    const missing = await one.inject({ method: 'POST', url: '/limits', payload: {} });
    assert.match(missing.json().message, /must have required property 'limit'/);
    await one.close();
  });

  it('cost the start nothing: a faulty one shows when its route is asked for, and at no other', async () => {
    const one = app();
    one.post('/faulty', { schema: { body: { type: 'no such type' } } }, (_request, reply) =>
      reply.send('ok'),
    );
    one.get('/well', (_request, reply) => reply.send('ok'));
    await one.ready();
    assert.equal((await one.inject('/well')).statusCode, 200);
    const answer = await one.inject({ method: 'POST', url: '/faulty', payload: {} });
    assert.equal(answer.statusCode, 500);
    await one.close();
  });
});
