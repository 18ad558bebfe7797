import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { planeRoutes } from '../../scripts/docs/plane-routes.ts';
import { jsonBody } from '../../src/planes/hooks/json-body.ts';
import { planeInstance } from '../../src/planes/hooks/plane-instance.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { sampleOf } from '../support/schema-sample.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runWith } from './fake-terminal.ts';
import { ROUTE_COMMANDS, WITHOUT_COMMAND } from './route-commands.ts';

const TOKEN = 'brume_mt_example';
const ROUTES = (await planeRoutes()).management.filter(({ method }) => method !== 'HEAD');
const CALLS = ROUTES.map(({ method, url }) => `${String(method)} ${url}`);

const called: string[] = [];
const plane = await declaredPlane((call) => called.push(call));
after(() => plane.app.close());

test('every management route has a command, or stands on the list of those without and says why', () => {
  const known = [...Object.keys(ROUTE_COMMANDS), ...Object.keys(WITHOUT_COMMAND)];
  assert.deepEqual(without(known, CALLS), [], 'routes that nobody speaks of in route-commands.ts');
  assert.deepEqual(without(CALLS, known), [], 'routes of route-commands.ts that are no more');
  assert.equal(new Set(known).size, known.length, 'one is on both lists');
  for (const reason of Object.values(WITHOUT_COMMAND)) assert.ok(reason.length > 20);
});

function without(taken: readonly string[], all: readonly string[]): string[] {
  return all.filter((one) => !taken.includes(one));
}

describe('the command of a route calls it as its schema says, with --url and a token, and understands its answer', () => {
  for (const [call, { line, input = '', exitCode: expected = 0 }] of Object.entries(ROUTE_COMMANDS)) {
    test(`${call}: brume ${line.join(' ')}`, async (t) => {
      const tokenFile = join(temporaryDirectory(t), 'token');
      writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
      for (const format of [[], ['--json']]) {
        called.length = 0;
        const options = ['--url', plane.url, '--token-file', tokenFile, ...format];
        const { stdout, stderr, exitCode } = await runWith([...line, ...options], { input });
        assert.equal(stderr, '');
        assert.equal(exitCode, expected);
        assert.ok(called.includes(call), `it called ${called.join(', ')}`);
        if (format.length > 0) JSON.parse(stdout);
        else assert.doesNotMatch(stdout, /undefined|NaN|\[object/);
      }
    });
  }
});

/** The routes of the management plane, with their schemas, and answers made of those. */
async function declaredPlane(onCall: (call: string) => void) {
  const log = createLogger({ level: 'error', showIdentifiers: false });
  const app = planeInstance({ bodyMaxBytes: 1024 * 1024, log });
  await app.register(jsonBody);
  for (const { method, url, schema = {} } of ROUTES) {
    const { body, querystring, params, response } = schema;
    const [status, answer] = Object.entries(Object(response)).find(([code]) => /^2/.test(code)) ?? [
      '200',
      {},
    ];
    app.route({
      method,
      url,
      schema: { ...(body !== undefined && { body }), querystring, params },
      handler: async (request, reply) => {
        assert.equal(request.headers.authorization, `Bearer ${TOKEN}`);
        onCall(`${String(method)} ${url}`);
        return reply.code(Number(status)).send(status === '204' ? null : sampleOf(Object(answer)));
      },
    });
  }
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, url };
}
