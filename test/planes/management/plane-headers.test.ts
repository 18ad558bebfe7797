import assert from 'node:assert/strict';
import { request } from 'node:https';
import { connect } from 'node:net';
import { test } from 'node:test';
import { selfSigned } from '../../support/tls-identity.ts';
import { startManagementPlane } from './plane-harness.ts';

const CONSOLE = 'https://console.example.com';

test('a listed origin may call and read, without credentials; another gets no CORS header at all', async (t) => {
  const { call } = await startManagementPlane(t, { env: { BRUME_MANAGEMENT_ORIGINS: CONSOLE } });
  for (const path of ['/health', '/v1/projects', '/nothing']) {
    const { headers } = await call('GET', path, { headers: { origin: CONSOLE } });
    assert.equal(headers['access-control-allow-origin'], CONSOLE, path);
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.match(String(headers['access-control-expose-headers']), /ETag/);
    assert.equal(headers.vary, 'Origin');
  }
  const others = [
    'https://evil.example',
    `${CONSOLE}.evil.example`,
    `${CONSOLE}:444`,
    'http://console.example.com',
    'null',
    '*',
  ];
  for (const origin of others) {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { origin, 'access-control-request-method': 'DELETE' };
      const answer = await call(method, '/v1/projects', { headers });
      const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
      assert.deepEqual(cors, [], `${method} ${origin}`);
    }
  }
});

test('B50: refusals carry CORS headers for a listed origin, and a preflight ends before identification', async (t) => {
  let identified = 0;
  const { call } = await startManagementPlane(t, {
    env: { BRUME_MANAGEMENT_ORIGINS: CONSOLE },
    replace: () => ({
      identify: async () => {
        identified++;
        return undefined;
      },
    }),
  });
  const preflight = await call('OPTIONS', '/v1/projects', {
    headers: {
      origin: CONSOLE,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'if-match',
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], CONSOLE);
  assert.match(String(preflight.headers['access-control-allow-methods']), /PUT/);
  assert.match(String(preflight.headers['access-control-allow-headers']), /If-Match/);
  assert.equal(identified, 0);
  const refused = await call('GET', '/v1/projects', { headers: { origin: CONSOLE } });
  assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [401, CONSOLE]);
});

test('B51: over HTTP nothing is upgraded: no upgrade-insecure-requests, no HSTS, and a policy without inline and eval', async (t) => {
  const { call } = await startManagementPlane(t);
  for (const path of ['/docs', '/docs/data', '/docs/page.js', '/openapi.json', '/v1/projects', '/none']) {
    const { headers } = await call('GET', path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'none'/, path);
    assert.doesNotMatch(policy, /upgrade-insecure-requests|unsafe|https?:|\*/, path);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers['strict-transport-security'], undefined, path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
});

test('B51: the documentation page needs nothing but what the plane serves, by paths that keep scheme, host and port', async (t) => {
  const { call } = await startManagementPlane(t);
  for (const page of ['/docs', '/docs/data']) {
    const { body, headers } = await call('GET', page);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.doesNotMatch(body, /<script(?![^>]*src=)|<style|\son[a-z]+=|style=|https?:/);
    const paths = [...body.matchAll(/(?:src|href|data-document)="(\/[^"]+)"/g)].map(([, path]) =>
      String(path),
    );
    assert.ok(paths.length >= 7, body);
    for (const path of paths) assert.equal((await call('GET', path)).status, 200, path);
  }
  const { json } = await call('GET', '/openapi.json');
  assert.match(String(json.openapi), /^3\.1/);
});

test('B51: over TLS, as a trusted proxy says, pages are upgraded and HSTS is said; nobody else can say so', async (t) => {
  const trusting = await startManagementPlane(t, { env: { BRUME_TRUSTED_PROXIES: '127.0.0.1' } });
  for (const path of ['/docs', '/docs/data', '/docs/page.js', '/openapi.json', '/v1/projects', '/none']) {
    const read = async (proto: string | undefined, from: string) => {
      const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto };
      const answer = await trusting.call('GET', path, { headers, from });
      return {
        policy: String(answer.headers['content-security-policy']),
        hsts: answer.headers['strict-transport-security'],
      };
    };
    const secure = await read('https', '127.0.0.1');
    assert.match(secure.policy, /default-src 'none'.*;upgrade-insecure-requests$/, path);
    assert.equal(secure.hsts, 'max-age=31536000', path);
    for (const [proto, from] of [
      [undefined, '127.0.0.1'],
      ['http', '127.0.0.1'],
      ['https', '127.0.0.8'],
      [undefined, '127.0.0.8'],
    ] as const) {
      const plain = await read(proto, from);
      assert.equal(secure.policy, `${plain.policy};upgrade-insecure-requests`, `${path} ${proto} ${from}`);
      assert.doesNotMatch(plain.policy, /upgrade/);
      assert.equal(plain.hsts, undefined, `${path} ${proto} ${from}`);
    }
  }
});

test('HSTS is said over TLS, and where a trusted proxy says that its client has come by it', async (t) => {
  const headers = { 'x-forwarded-proto': 'https' };
  const trusting = await startManagementPlane(t);
  const said = await trusting.call('GET', '/health', { headers });
  assert.equal(said.headers['strict-transport-security'], 'max-age=31536000');
  assert.equal(
    (await trusting.call('GET', '/health', { headers: { 'x-forwarded-proto': 'http' } })).headers[
      'strict-transport-security'
    ],
    undefined,
  );
  const alone = await startManagementPlane(t, { env: { BRUME_TRUSTED_PROXIES: 'none' } });
  assert.equal(
    (await alone.call('GET', '/health', { headers })).headers['strict-transport-security'],
    undefined,
  );
});

test('with a certificate the plane serves HTTPS and nothing else', async (t) => {
  const { cert, key } = selfSigned(t);
  const { port } = await startManagementPlane(t, { tls: { cert, key } });

  const answer = await new Promise<{ status?: number | undefined; hsts: unknown }>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path: '/docs',
      ca: cert,
      agent: false,
    };
    request(options, (incoming) => {
      incoming.resume();
      resolve({ status: incoming.statusCode, hsts: incoming.headers['strict-transport-security'] });
    })
      .on('error', reject)
      .end();
  });
  assert.deepEqual(answer, { status: 200, hsts: 'max-age=31536000' });

  const received = await new Promise<string>((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port }, () =>
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'),
    );
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
  assert.doesNotMatch(received, /HTTP\/1/);
});
