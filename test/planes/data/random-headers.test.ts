import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PlaneHarness, startPlane, window } from './plane-harness.ts';

const NAMES = [
  'X-Brume-Key',
  'X-Brume-Cost',
  'X-API-Key',
  'apikey',
  'Authorization',
  'X-Forwarded-For',
  'X-Forwarded-Uri',
  'X-Original-URI',
  'X-User',
  'X-Request-Id',
  'X_Forwarded_For',
  'Content-Type',
  'Content-Encoding',
  'Expect',
  'Accept-Version',
  'Idempotency-Key',
  'Cookie',
  'Forwarded',
];
const NAMESPACES = ['address', 'user', 'path', 'key', 'nowhere', '%zz', '%00', '*', 'a'.repeat(300)];

/** What a header line can hold on the wire: any byte but controls. */
const anyValue = fc
  .string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  })
  .filter((text) => !/[\x80-\x9f]/.test(text) || text.length > 0);
const telling = fc.constantFrom(
  '1.2.3.4',
  '::1',
  '1.2.3.4, 10.0.0.1',
  '%',
  '/a/../b',
  '0',
  '1',
  '-1',
  '9e9',
  'Bearer x',
  'application/json',
  'KEY',
  '100-continue',
);
const headerSet = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.oneof(telling, anyValue)), {
  maxLength: 12,
});
const target = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('/v1/auth/nginx/', '/v1/auth/forward/'),
      fc.constantFrom(...NAMESPACES),
      fc.constantFrom('', '/', '/x%', '/a?b#c'),
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('/v1/limit', '/v1/peek', '/health', '/ready', '/', '//', '/%', '*'),
);
const method = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'PROPFIND', 'QUERY', 'TRACE', 'DELETE');
const body = fc.option(fc.oneof(fc.string({ maxLength: 50 }), fc.json({ maxDepth: 2 })), { nil: undefined });

test('no set of headers, method, path and body gives a 500', async (t) => {
  const user = { identifyBy: 'header:X-User' };
  const plane = await startPlane(t, {
    namespaces: {
      address: window(1_000_000, { kind: 'ip' }),
      user: window(1_000_000, user),
      path: window(1_000_000, { identifyBy: 'path' }),
      key: window(1_000_000, { identifyBy: 'key' }),
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  t.after(() => agent.destroy());
  await fc.assert(
    fc.asyncProperty(method, target, headerSet, body, async (verb, path, headers, text) => {
      const status = await statusOf(plane, agent, { verb, path, headers, text });
      assert.equal(status < 500, true, `${status}`);
      if (path.startsWith('/v1/auth/nginx/'))
        assert.equal([200, 403].includes(status), true, `nginx ${status}`);
    }),
    { numRuns: 1000 },
  );
  const faults = plane.logLines.filter(({ level }) => level === 'error' || level === 'fatal');
  assert.deepEqual(faults, [], 'nothing but refusals is logged');
});

interface Sent {
  readonly verb: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string | undefined;
}

function statusOf(plane: PlaneHarness, agent: Agent, { verb, path, headers, text }: Sent): Promise<number> {
  const flat = [
    'Host',
    'b',
    ...headers.flatMap(([name, value]) => [name, value === 'KEY' ? plane.key : value]),
  ];
  if (text !== undefined) flat.push('Content-Length', String(Buffer.byteLength(text)));
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port: plane.port, host: '127.0.0.1', method: verb, path, headers: flat, agent },
      (answer) => {
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', reject);
        answer.resume();
      },
    );
    outgoing.on('error', reject);
    // Sent with the head: whoever asked for an invitation would wait for one that never comes.
    outgoing.end(text);
  });
}
