import { deepEqual, equal, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { LOGIN_SPELLINGS } from '../support/login-spellings.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';
import type { EndUserRequest } from './end-user.ts';
import { FORGERIES, PATH_FORGERIES } from './forgeries.ts';
import { type Overheard, overhear } from './overheard.ts';
import { RULES } from './rules.ts';
import type { EndUserView, StandIn } from './stand-in.ts';

/** What the shipped file is filled in with, and how long the proxy waits for Brume. */
export interface StandInSetUp {
  readonly brumePort: number;
  readonly key: string;
  readonly namespace: string;
  /** Undefined: as long as the proxy does by itself. */
  readonly timeoutMs: number | undefined;
}

export interface StandInTraits {
  /** Whose word on the client's address counts. */
  readonly trustedProxies: string;
  readonly play: (setUp: StandInSetUp) => StandIn;
  /** What an allowed client sees of Brume's headers. */
  readonly shownOnPass: readonly string[];
  /** Of Brume's headers those that a denied client doesn't see. */
  readonly hiddenOnDenial?: readonly string[];
  /** What a client gets instead of a check that it stripped of the key; by default it can't. */
  readonly stripped?: number;
  /** What clients get in each of these cases, as the page of the proxy has it. */
  readonly unjudged: {
    readonly degradedOpen: readonly [status: number, degraded: string | undefined];
    readonly degradedClosed: readonly [status: number, degraded: string | undefined];
    readonly noAnswer: number;
  };
}

const EIGHT = [200, 200, 200, 200, 200, 200, 200, 429];
/** So that a slow machine is no Brume that gives no answer. */
const PATIENT_MS = 20_000;

/** What end users and Brume see of a proxy that is no Debian package: a stand-in sends what it would send. */
export function standInBehaviour(name: string, traits: StandInTraits): void {
  describe(`${name} with the shipped file`, () => {
    let redis: RedisServer;
    let brume: BrumeProcess;
    let overheard: Overheard;
    let key: string;

    before(async () => {
      redis = await startRedis();
      brume = await startBrume({
        BRUME_REDIS_URL: redis.url,
        BRUME_REDIS_TIMEOUT_MS: '5000',
        BRUME_TRUSTED_PROXIES: traits.trustedProxies,
      });
      overheard = await overhear(Number(new URL(brume.url).port));
      key = await createTenant(brume.settings.BRUME_ADMIN_SOCKET ?? '', 'shop', RULES);
    });

    after(async () => {
      await overheard?.stop();
      await brume?.stop();
      await redis?.stop();
    });

    function pass(
      request: EndUserRequest,
      namespace = 'api',
      given: { readonly key?: string; readonly timeoutMs?: number | undefined } = {},
    ): Promise<EndUserView> {
      const setUp = { brumePort: overheard.port, key, namespace, timeoutMs: PATIENT_MS, ...given };
      return traits.play(setUp).pass(request);
    }

    async function statuses(count: number, request: EndUserRequest, namespace?: string): Promise<number[]> {
      const all: number[] = [];
      for (let n = 0; n < count; n++) {
        const { isPassed, status } = await pass(request, namespace);
        equal(isPassed, status === 200);
        all.push(status);
      }
      return all;
    }

    it('exactly the limit passes, the rest get Brume’s 429 with its headers', async () => {
      const request = { from: '203.0.113.1', path: '/api/x?q=1' };
      const first = await pass(request);
      equal(first.isPassed, true);
      deepEqual(Object.keys(first.headers).sort(), traits.shownOnPass);
      deepEqual(await statuses(7, request), EIGHT.slice(1));
      const { isPassed, status, headers, body } = await pass(request);
      deepEqual([isPassed, status], [false, 429]);
      match(headers['retry-after'] ?? '', /^[1-9]\d*$/);
      deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']], ['7', '0']);
      match(headers.ratelimit ?? '', /^"default";r=0;t=\d+$/);
      match(headers['content-type'] ?? '', /^application\/problem\+json/);
      for (const hidden of traits.hiddenOnDenial ?? []) equal(headers[hidden], undefined);
      equal(JSON.parse(body).code, 'limit');
      equal(body.includes('203.0.113.1'), false);
    });

    it('any method is judged, and a body is never part of the call', async () => {
      for (const [index, method] of ['HEAD', 'OPTIONS', 'POST', 'PATCH'].entries()) {
        const lines = ['Content-Length: 5000000', 'Expect: 100-continue'];
        deepEqual(await statuses(8, { from: `192.0.2.${index}`, path: '/', method, lines }), EIGHT, method);
      }
    });

    FORGERIES.forEach(({ what, lines }, index) => {
      // One that strips the key is nobody's free pass: the call without it is refused.
      const isStripped = lines.some((line) => /^connection:.*x-brume-key/i.test(line));
      it(`what a client claims counts for nothing: ${what}`, async () => {
        const expected = isStripped && traits.stripped !== undefined ? Array(8).fill(traits.stripped) : EIGHT;
        deepEqual(await statuses(8, { from: `198.51.100.${index}`, path: '/api/', lines }), expected);
      });
    });

    it('B43: each spelling and forgery of a path draws on the same five', async () => {
      const seen: number[] = [];
      for (const path of LOGIN_SPELLINGS)
        seen.push(...(await statuses(1, { from: '203.0.113.3', path }, 'paths')));
      deepEqual(seen, [200, 200, 200, 200, 200, 429, 429, 429]);
      for (const lines of PATH_FORGERIES) {
        deepEqual(await statuses(1, { from: '203.0.113.3', path: '/login', lines }, 'paths'), [429]);
      }
    });

    it('faults of the configuration let nothing pass', async () => {
      const request = { from: '203.0.113.4', path: '/' };
      deepEqual(await statuses(1, request, 'nosuch'), [404]);
      const { isPassed, status } = await pass(request, 'api', { key: 'brume_sk_wrong' });
      deepEqual([isPassed, status], [false, 401]);
    });

    it('Redis gone: namespaces that are open and closed, as its page says; both recover', async () => {
      const request = { from: '203.0.113.5', path: '/' };
      await redis.stop();
      for (const [namespace, expected] of [
        ['open', traits.unjudged.degradedOpen],
        ['closed', traits.unjudged.degradedClosed],
      ] as const) {
        const { isPassed, status, headers } = await pass(request, namespace);
        equal(isPassed, status === 200, namespace);
        deepEqual([status, headers['x-brume-ratelimit-degraded']], expected, namespace);
        equal(headers['x-ratelimit-remaining'], undefined, namespace);
      }
      redis = await startRedis({ port: Number(new URL(redis.url).port) });
      // Who is denied was counted, whatever a proxy shows of the answers before.
      for (const namespace of ['open', 'closed']) {
        const denied = await waitFor(`${namespace} counts again`, async () => {
          const seen = await pass(request, namespace);
          return seen.status === 429 && seen;
        });
        deepEqual([denied.isPassed, denied.headers['x-brume-ratelimit-degraded']], [false, undefined]);
      }
    });

    async function nobodyJudges(): Promise<void> {
      for (const method of ['GET', 'POST']) {
        const request = { from: '203.0.113.6', path: '/', method };
        // Less than Traefik's own 30 s, and as long as Envoy's file says.
        const { isPassed, status, headers } = await pass(request, 'api', { timeoutMs: 500 });
        deepEqual([isPassed, status], [traits.unjudged.noAnswer === 200, traits.unjudged.noAnswer], method);
        deepEqual(headers, {}, method);
      }
    }

    it('Brume hangs: as its page says, without a header of Brume’s', async () => {
      overheard.hang();
      await nobodyJudges();
    });

    it('Brume is stopped: the same', async () => {
      await brume.stop();
      await overheard.stop();
      await nobodyJudges();
    });
  });
}
