import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type AppServer, startApp } from '../support/app-server.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { call } from '../support/http-call.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { FORGERIES, PATH_FORGERIES } from './forgeries.ts';
import type { FrontSetUp, StartFront } from './front.ts';
import { type Overheard, overhear } from './overheard.ts';
import type { ProxyProcess } from './proxy-process.ts';
import { begin, exchange, firstAnswer } from './raw-exchange.ts';
import { LIMITED, RULES } from './rules.ts';

const BODY_BYTES = 5_000_000;
/** Save for Connection and Transfer-Encoding, by which a proxy and its client agree on theirs. */
const HOP_BY_HOP = ['keep-alive', 'te', 'trailer', 'upgrade', 'proxy-authenticate', 'proxy-connection'];
const SEVEN_OF_NINE = [200, 200, 200, 200, 200, 200, 200, 429, 429];

/**
 * What a client, the application and Brume see of a front end with the shipped files: the same for
 * each of them, in every mode. Redis and Brume are real, and so is the front end.
 */
export function frontBehaviour(name: string, startFront: StartFront): void {
  describe(`${name} with the shipped files`, () => {
    let redis: RedisServer;
    let app: AppServer;
    let brume: BrumeProcess;
    let overheard: Overheard;
    let setUp: FrontSetUp;
    let front: ProxyProcess;

    before(async () => {
      redis = await startRedis();
      app = await startApp();
      brume = await startBrume({
        BRUME_REDIS_URL: redis.url,
        BRUME_REDIS_TIMEOUT_MS: '5000',
        BRUME_TRUSTED_PROXIES: '127.0.0.1/32',
      });
      overheard = await overhear(Number(new URL(brume.url).port));
      const key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', RULES);
      setUp = { brumePort: overheard.port, key, appUrl: app.url, namespaces: LIMITED };
      front = await startFront(setUp);
    });

    after(async () => {
      await front?.stop();
      await overheard?.stop();
      await brume?.stop();
      await app?.stop();
      await redis?.stop();
    });

    /** The statuses of as many requests, one after the other. */
    async function statuses(count: number, path: string, from: string, lines: readonly string[] = []) {
      const all: number[] = [];
      for (let n = 0; n < count; n++) {
        all.push((await exchange({ port: front.port, from, path, lines })).status);
      }
      return all;
    }

    it('exactly the limit passes, the rest get 429 with Retry-After and the rate headers', async () => {
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => call(`${front.url}/api/crowd`, { from: '127.0.0.2' })),
      );
      const denied = answers.filter(({ status }) => status === 429);
      deepEqual([answers.filter(({ status }) => status === 200).length, denied.length], [7, 18]);
      equal(app.seen.filter(({ url }) => url === '/api/crowd').length, 7);
      for (const { headers } of denied) {
        ok(Number(headers['retry-after']) >= 1);
        equal(headers['x-ratelimit-limit'], '7');
        equal(headers['x-ratelimit-remaining'], '0');
        ok(Number(headers['x-ratelimit-reset']) > Date.now() / 1000);
        match(String(headers.ratelimit), /^"default";r=0;t=\d+$/);
        equal(headers['ratelimit-policy'], '"default";q=7;w=3600');
        equal(headers['x-brume-ratelimit-degraded'], undefined);
      }
    });

    it('B46: a refusal has no header that is meant for one hop alone', async () => {
      for (let n = 0; n < 7; n++) await call(`${front.url}/api/hops`, { from: '127.0.0.14' });
      const { status, headers } = await call(`${front.url}/api/hops`, { from: '127.0.0.14' });
      equal(status, 429);
      for (const name of HOP_BY_HOP) equal(headers[name], undefined, name);
    });

    it('B46: what a client says to one hop alone, or names in Connection, is not told to Brume', async () => {
      overheard.forget();
      const { lines } = FORGERIES.find(({ what }) => what.startsWith('B46')) ?? { lines: [] };
      await exchange({ port: front.port, from: '127.0.0.15', path: '/api/', lines });
      const names = overheard
        .said()
        .split('\r\n')
        .map((line) => line.split(':')[0]?.toLowerCase() ?? '');
      ok(names.includes('x-brume-key'));
      // TE is left out: a proxy may say by its own that it takes trailers, as Caddy does.
      for (const name of HOP_BY_HOP.filter((hop) => hop !== 'te').concat(
        'proxy-authorization',
        'x-brume-cost',
      ))
        equal(names.includes(name), false, name);
    });

    it('an allowed request arrives as it was sent, without the key, and its answer shows what remains', async () => {
      const sent = { Cookie: 'session=1', Authorization: 'Bearer app', 'X-User': 'alice' };
      const { status, headers, body } = await call(`${front.url}/api/y?a=b%20c`, {
        from: '127.0.0.3',
        headers: sent,
      });
      deepEqual([status, body], [200, 'app\n']);
      equal(headers['x-ratelimit-limit'], '7');
      equal(headers['x-ratelimit-remaining'], '6');
      match(String(headers.ratelimit), /^"default";r=6;t=\d+$/);
      equal(headers['ratelimit-policy'], '"default";q=7;w=3600');
      for (const name of ['retry-after', 'x-brume-ratelimit-degraded']) equal(headers[name], undefined, name);
      const seen = app.seen.at(-1);
      deepEqual([seen?.method, seen?.url], ['GET', '/api/y?a=b%20c']);
      deepEqual([seen?.headers.cookie, seen?.headers.authorization], [sent.Cookie, sent.Authorization]);
      equal(seen?.headers['x-user'], 'alice');
      equal(JSON.stringify(seen).includes(setUp.key), false);
    });

    it('Brume is told who asks for what, and none of the cookies and credentials', async () => {
      overheard.forget();
      await exchange({
        port: front.port,
        from: '127.0.0.4',
        path: '/api/z?q=1',
        lines: ['Cookie: biscuit', 'Authorization: Bearer biscuit', 'Proxy-Authorization: Basic biscuit'],
      });
      const said = overheard.said();
      match(said, /^x-forwarded-for: 127\.0\.0\.4\r$/im);
      match(said, /^(x-original-uri|x-forwarded-uri): \/api\/z\?q=1\r$/im);
      match(said, /^(x-original-method|x-forwarded-method): GET\r$/im);
      equal(said.includes('biscuit'), false);
    });

    it('each header comes once, and names every limit of the rule', async () => {
      const { rawHeaders, headers } = await call(`${front.url}/two/`, { from: '127.0.0.5' });
      const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
      equal(new Set(names).size, names.length);
      equal(headers['ratelimit-policy'], '"hour";q=7;w=3600, "day";q=3;w=86400');
    });

    it('where waiting cannot help, the 429 has no Retry-After', async () => {
      const { status, headers } = await call(`${front.url}/none/`, { from: '127.0.0.6' });
      deepEqual([status, headers['retry-after']], [429, undefined]);
    });

    it('B38: clients behind it have a bucket each', async () => {
      deepEqual(await statuses(9, '/api/', '127.0.0.7'), SEVEN_OF_NINE);
      deepEqual(await statuses(9, '/api/', '127.0.0.8'), SEVEN_OF_NINE);
    });

    FORGERIES.forEach(({ what, lines }, index) => {
      it(`what a client claims counts for nothing: ${what}`, async () => {
        deepEqual(await statuses(9, '/api/', `127.0.1.${index + 1}`, lines), SEVEN_OF_NINE);
      });
    });

    it('B43: whatever spelling or forgery of a path a client finds, it draws on the same five', async () => {
      const spellings = [
        'login',
        'login/',
        '/login',
        'LOGIN',
        '%6Cogin',
        './login',
        'login?x=1',
        'login;v=1',
      ];
      const seen: number[] = [];
      for (const spelling of spellings) seen.push(...(await statuses(1, `/paths/${spelling}`, '127.0.0.9')));
      deepEqual(seen, [200, 200, 200, 200, 200, 429, 429, 429]);
      for (const lines of PATH_FORGERIES) {
        const [status] = await statuses(1, '/paths/login', '127.0.0.9', lines);
        equal(status, 429, lines.join());
      }
      deepEqual(await statuses(1, '/paths/logout', '127.0.0.9'), [200]);
    });

    it('HEAD and OPTIONS are judged like any other, and pass as they are', async () => {
      for (const [index, method] of ['HEAD', 'OPTIONS', 'PUT', 'DELETE'].entries()) {
        const from = `127.0.2.${index + 1}`;
        for (let n = 0; n < 7; n++) {
          const { status, text } = await exchange({ port: front.port, from, method, path: '/api/m' });
          equal(status, 200, method);
          equal(app.seen.at(-1)?.method, method);
          equal(text.endsWith(method === 'HEAD' ? '\r\n\r\n' : 'app\n'), true, method);
        }
        const seen = app.seen.length;
        const { status, text } = await exchange({ port: front.port, from, method, path: '/api/m' });
        deepEqual([status, app.seen.length], [429, seen], method);
        if (method === 'HEAD') equal(text.endsWith('\r\n\r\n'), true, 'no body');
      }
    });

    it('a WebSocket passes by once it was judged, and one too many is refused before the upgrade', async () => {
      const from = '127.0.0.10';
      const upgrade = {
        port: front.port,
        from,
        path: '/api/socket',
        lines: [
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          'Sec-WebSocket-Version: 13',
        ],
      };
      for (let n = 0; n < 7; n++) {
        const socket = begin(upgrade);
        const { status } = await firstAnswer(socket, (text) => text.includes('\r\n\r\n'));
        equal(status, 101);
        socket.write('ping');
        const [echo]: Buffer[] = await once(socket, 'data');
        equal(echo?.toString(), 'ping');
        socket.destroy();
      }
      const seen = app.seen.length;
      equal((await exchange(upgrade)).status, 429);
      equal(app.seen.length, seen);
    });

    for (const [index, form] of ['Content-Length', 'chunked'].entries()) {
      it(`a large body arrives whole at the application, and none of it at Brume: ${form}`, async () => {
        const body = randomBytes(BODY_BYTES);
        overheard.forget();
        const { status } = await call(`${front.url}/api/upload`, {
          method: 'POST',
          body,
          from: `127.0.3.${index + 1}`,
          headers: form === 'chunked' ? { 'Transfer-Encoding': 'chunked' } : {},
        });
        equal(status, 200);
        const { method, bodyBytes, bodySha256 } = app.seen.at(-1) ?? {};
        deepEqual(
          [method, bodyBytes, bodySha256],
          ['POST', BODY_BYTES, createHash('sha256').update(body).digest('hex')],
        );
        ok(overheard.said().length < 4096, 'the check is a few hundred bytes');
        equal(/^transfer-encoding:/im.test(overheard.said()), false);
      });
    }

    it('is judged before its body is read: the 429 comes while none of it was sent', async () => {
      const from = '127.0.3.9';
      await statuses(7, '/api/', from);
      const lines = [`Content-Length: ${BODY_BYTES}`];
      const socket = begin({ port: front.port, from, method: 'POST', path: '/api/', lines });
      const { status } = await firstAnswer(socket, (text) => text.includes('\r\n'));
      socket.destroy();
      equal(status, 429);
    });

    it('what no check is asked for is not limited and shows no rate headers', async () => {
      const { status, headers } = await call(`${front.url}/free/`, { from: '127.0.0.11' });
      deepEqual([status, headers['x-ratelimit-limit'], headers.ratelimit], [200, undefined, undefined]);
    });

    it('faults of the configuration are 500: an unknown namespace, a wrong key', async () => {
      const seen = app.seen.length;
      equal((await call(`${front.url}/nosuch/`)).status, 500);
      const other = await startFront({ ...setUp, key: 'brume_sk_wrong' });
      try {
        equal((await call(`${other.url}/api/`)).status, 500);
      } finally {
        await other.stop();
      }
      equal(app.seen.length, seen);
    });

    it('Redis gone: open passes and says so, closed is 503; both recover', async () => {
      const from = '127.0.0.12';
      await redis.stop();
      const open = await call(`${front.url}/open/`, { from });
      deepEqual([open.status, open.headers['x-brume-ratelimit-degraded']], [200, 'true']);
      equal(open.headers['x-ratelimit-remaining'], undefined);
      const seen = app.seen.length;
      const closed = await call(`${front.url}/closed/`, { from });
      deepEqual([closed.status, closed.headers['x-brume-ratelimit-degraded']], [503, 'true']);
      equal(app.seen.length, seen);

      redis = await startRedis({ port: Number(new URL(redis.url).port) });
      const healed = await waitFor('the namespace is open again', async () => {
        const answer = await call(`${front.url}/closed/`, { from });
        return answer.status === 200 && answer;
      });
      equal(healed.headers['x-ratelimit-remaining'], '6');
    });

    describe('with the times as shipped, when Brume', () => {
      const fronts: Partial<Record<'open' | 'closed', ProxyProcess>> = {};

      before(async () => {
        fronts.open = await startFront({ ...setUp, isPatient: false });
        fronts.closed = await startFront({ ...setUp, isPatient: false, whenUnjudged: 'closed' });
      });

      after(async () => {
        await fronts.open?.stop();
        await fronts.closed?.stop();
      });

      async function nobodyJudges(): Promise<void> {
        for (const method of ['GET', 'POST']) {
          const body = method === 'POST' ? 'x'.repeat(100_000) : undefined;
          const options = { method, from: '127.0.0.13', ...(body !== undefined && { body }) };
          const open = await call(`${fronts.open?.url}/api/down`, options);
          deepEqual([open.status, open.headers['x-brume-ratelimit-degraded']], [200, 'true']);
          deepEqual([open.headers['x-ratelimit-limit'], open.headers.ratelimit], [undefined, undefined]);
          equal(app.seen.at(-1)?.bodyBytes, body?.length ?? 0);

          const seen = app.seen.length;
          const closed = await call(`${fronts.closed?.url}/api/down`, options);
          deepEqual([closed.status, closed.headers['x-brume-ratelimit-degraded']], [503, 'true']);
          equal(app.seen.length, seen);
        }
        const free = await call(`${fronts.closed?.url}/free/`);
        deepEqual([free.status, free.headers['x-brume-ratelimit-degraded']], [200, undefined]);
      }

      it('hangs, requests pass unjudged and say so, or are 503, as told', async () => {
        overheard.hang();
        await nobodyJudges();
      });

      it('is stopped, the same', async () => {
        await brume.stop();
        await overheard.stop();
        await nobodyJudges();
      });
    });
  });
}
