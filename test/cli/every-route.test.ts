import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { planeRoutes } from '../../scripts/docs/plane-routes.ts';
import { shapeOf } from '../../src/client/answer-shapes.ts';
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

/** What else may listen where Brume is thought to: servers, gateways, pages for signing in. */
const FOREIGN: Readonly<Record<string, RequestListener>> = {
  'an empty object': (_, response) => response.end('{}'),
  'a page': (_, response) => response.end('<!doctype html><title>Welcome</title>'),
  'nothing, done': (_, response) => response.writeHead(204).end(),
  'a list that is none': (_, response) => response.end('{"items":{"length":1},"id":7}'),
  'a redirect': (_, response) => response.writeHead(302, { location: 'https://login.example' }).end(),
  'a refusal of its own': (_, response) => response.writeHead(403).end('{"error":{"code":403}}'),
};

describe('what is no answer of Brume is told in one line, by whatever command', () => {
  for (const [name, answer] of Object.entries(FOREIGN)) {
    test(name, async (t) => {
      const server = createServer(answer).listen(0, '127.0.0.1');
      await once(server, 'listening');
      t.after(() => server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const tokenFile = join(temporaryDirectory(t), 'token');
      writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
      for (const [call, { line, input = '' }] of Object.entries(ROUTE_COMMANDS)) {
        // A 204 is what these are answered with by Brume, too.
        if (name === 'nothing, done' && takesNothing(call)) continue;
        const { stdout, stderr, exitCode } = await runWith(
          [...line, '--url', url, '--token-file', tokenFile],
          {
            input,
          },
        );
        assert.equal(exitCode, 1, call);
        // An import tells of each portion what became of it.
        const [told, rest] = call.endsWith('/import') ? [stdout, stderr] : [stderr, stdout];
        assert.match(
          told,
          /^.*The answer \(status \d+\) is not one of Brume\. .*\(BRUME_MANAGEMENT_LISTEN, .*$/m,
          call,
        );
        assert.equal(rest, '', call);
        assert.doesNotMatch(told, /TypeError|undefined|^ +at /m, call);
      }
    });
  }
});

function takesNothing(call: string): boolean {
  const [method = '', url = ''] = call.split(' ');
  return shapeOf(method, url.replaceAll(/:\w+/g, 'x')) === 'nothing';
}

test('of every route that has a command it is known what the answer has', () => {
  const unknown = Object.keys(ROUTE_COMMANDS).filter((call) => {
    const [method = '', url = ''] = call.split(' ');
    return shapeOf(method, url.replaceAll(/:\w+/g, 'x')) === undefined;
  });
  assert.deepEqual(unknown, []);
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
