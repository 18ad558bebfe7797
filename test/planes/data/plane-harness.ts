import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../../../src/appliance/metrics.ts';
import { PlaneServer } from '../../../src/appliance/plane-server.ts';
import { BrumeError } from '../../../src/errors/catalogue.ts';
import { CallBlocks } from '../../../src/limiter/calls/call-blocks.ts';
import type { Check } from '../../../src/limiter/check.ts';
import type { Counters } from '../../../src/limiter/counters.ts';
import { identifierKeyer } from '../../../src/limiter/identifier-key.ts';
import { createLimiter, type Limiter } from '../../../src/limiter/limiter.ts';
import type { Verdict } from '../../../src/limiter/verdict.ts';
import { buildDataPlane, type DataPlaneConfig } from '../../../src/planes/data/data-plane.ts';
import type { Readiness } from '../../../src/planes/hooks/health-routes.ts';
import type { Namespace } from '../../../src/policy/namespace.ts';
import { parseRule } from '../../../src/policy/rule-input.ts';
import { EmbeddedCounters } from '../../../src/stores/embedded/embedded-counters.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import type { Tracing } from '../../../src/telemetry/tracing/tracing.ts';
import type { ApiKey, KeyDirectory } from '../../../src/tenancy/api-key.ts';
import { newApiKeySecret } from '../../../src/tenancy/api-key-secret.ts';
import { call, type HttpAnswer, type HttpCall } from '../../support/http-call.ts';

export const PROJECT = 'prj_1';

/** A rule of one fixed window. */
export function window(limit: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { limits: [{ algorithm: 'fixed_window', limit, windowMs: 60_000 }], ...more };
}

export interface PlaneSetUp {
  readonly config?: Partial<DataPlaneConfig>;
  /** Bounds of the listener. */
  readonly bounds?: Partial<ConstructorParameters<typeof PlaneServer>[1]>;
  /** Rules by namespace. */
  readonly namespaces?: Readonly<Record<string, Record<string, unknown>>>;
  /** Instead of embedded ones. */
  readonly counters?: Counters;
  /** Where keys are looked up, instead of among those that were added. */
  readonly keys?: KeyDirectory;
  /** Calls a day of every project. */
  readonly budget?: number;
  /** Told of requests and verdicts. */
  readonly metrics?: Metrics;
  /** Told of requests. */
  readonly tracing?: Tracing;
  /** Listens there instead of on a free port of 127.0.0.1. */
  readonly socketPath?: string;
}

/** A data plane behind a real listener, over the embedded counters, with a clock that stands. */
export class PlaneHarness {
  nowMs = 1_800_000_000_000;
  readiness: Readiness = {
    isReady: true,
    status: 'ready',
    stores: { configuration: 'available', counters: 'available' },
    snapshot: { revision: 7, ageMs: 12, source: 'store' },
  };
  /** Set: key look-ups fail with it. */
  keyFault: Error | undefined;
  isSnapshotLoaded = true;
  /** Set: answers instead of the counters. */
  judge: ((check: Check) => Promise<Verdict>) | undefined;
  /** Set: resets go there. */
  reset: Limiter['reset'] | undefined;
  readonly checks: Check[] = [];
  readonly lookups: string[] = [];
  readonly logLines: Record<string, unknown>[] = [];
  readonly namespaces = new Map<string, Namespace>();
  readonly #keys = new Map<string, ApiKey>();
  readonly key = this.addKey();
  app!: FastifyInstance;
  server!: PlaneServer;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  addKey(changes: Partial<ApiKey> = {}): string {
    const { secret, prefix, sha256 } = newApiKeySecret('service');
    this.#keys.set(sha256, {
      id: `key_${this.#keys.size + 1}`,
      projectId: PROJECT,
      name: 'test',
      kind: 'service',
      scopes: ['limit', 'peek'],
      prefix,
      createdAtMs: 0,
      expiresAtMs: null,
      revokedAtMs: null,
      ...changes,
    });
    return secret;
  }

  setNamespace(name: string, rule: Record<string, unknown>): void {
    this.namespaces.set(name, {
      id: `ns_${name}`,
      projectId: PROJECT,
      name,
      rule: parseRule(rule),
      version: 1,
      createdAtMs: 0,
      updatedAtMs: 0,
    });
  }

  /** POST /v1/limit (or another) with a key, on a connection of its own. */
  post(path: string, body: unknown, headers: HttpCall['headers'] = {}): Promise<HttpAnswer> {
    const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return call(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.key, ...headers },
      body: text,
    });
  }

  /** The verdict of a check, which has to be answered with 200. */
  async verdict(check: Record<string, unknown>, path = '/v1/limit'): Promise<Verdict> {
    const { status, body } = await this.post(path, check);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
    return JSON.parse(body) as Verdict;
  }

  /** A forward-auth call with the key where it belongs. */
  ask(path: string, headers: HttpCall['headers'] = {}, more: HttpCall = {}): Promise<HttpAnswer> {
    return call(this.url + path, { ...more, headers: { 'x-brume-key': this.key, ...headers } });
  }

  /** What is left for an identifier, without consuming. */
  async remaining(namespace: string, identifier: string): Promise<number> {
    const answer = await this.post('/v1/peek', { namespace, identifier });
    return (JSON.parse(answer.body) as Verdict).remaining ?? Number.NaN;
  }

  async start(setUp: PlaneSetUp): Promise<void> {
    for (const [name, rule] of Object.entries(setUp.namespaces ?? {})) this.setNamespace(name, rule);
    const clock = { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs };
    const counters = setUp.counters ?? new EmbeddedCounters({ clock, identifiersMax: 10_000 });
    const identifierKey = identifierKeyer(Buffer.alloc(32, 1));
    const limiter = createLimiter({
      counters,
      identifierKey,
      onDegraded: () => undefined,
      ...(setUp.metrics && { watch: setUp.metrics.checks }),
    });
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        this.logLines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
        done();
      },
    });
    const config: DataPlaneConfig = {
      trustedProxies: ['127.0.0.1/32', '10.0.0.0/8'],
      addressRate: null,
      addressBurst: 1000,
      addressIpv6Prefix: 64,
      actorRate: null,
      actorBurst: null,
      bodyMaxBytes: 65_536,
      batchBodyMaxBytes: 1_048_576,
      requestTimeoutMs: 10_000,
      accessLog: { mode: 'off' },
      logIdentifiers: false,
      headersXRatelimit: true,
      headersRatelimit: true,
      headersRetryAfter: true,
      ...setUp.config,
    };
    this.app = await buildDataPlane({
      config,
      log: createLogger({ level: 'debug', showIdentifiers: config.logIdentifiers, stream: sink }),
      limiter: {
        ...limiter,
        judge: (check) => {
          this.checks.push(check);
          return this.judge === undefined ? limiter.judge(check) : this.judge(check);
        },
        reset: (namespace, identifier) => (this.reset ?? limiter.reset)(namespace, identifier),
      },
      snapshot: {
        namespace: (projectId, name) =>
          projectId === PROJECT && this.isSnapshotLoaded ? this.namespaces.get(name) : undefined,
        identifierSecret: () => Buffer.alloc(32, 1),
        state: () => ({
          isLoaded: this.isSnapshotLoaded,
          revision: 7,
          ageMs: 12,
          isStale: false,
          source: 'store' as const,
        }),
      },
      keys: setUp.keys ?? {
        find: async (sha256) => {
          this.lookups.push(sha256);
          if (this.keyFault !== undefined) throw this.keyFault;
          return this.#keys.get(sha256);
        },
      },
      clock,
      version: '0.0.0-test',
      readiness: () => this.readiness,
      ...(setUp.metrics && { metrics: setUp.metrics }),
      tracing: setUp.tracing,
      calls: new CallBlocks({
        counters,
        clock,
        keyOf: (subject) => identifierKey('calls', '', subject),
        liveNodes: () => 1,
        onFault: () => undefined,
      }),
      budgetOf: () => setUp.budget ?? null,
    });
    this.server = new PlaneServer(this.app, {
      headersMaxBytes: 16_384,
      headerTimeoutMs: 5000,
      requestTimeoutMs: config.requestTimeoutMs,
      keepAliveMs: 5000,
      connectionsMax: 1000,
      ...setUp.bounds,
    });
    const where =
      setUp.socketPath === undefined ? { port: 0, host: '127.0.0.1' } : { path: setUp.socketPath };
    await new Promise<void>((resolve) => this.server.server.listen(where, resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAll();
    await this.server.stopAccepting();
    await this.app.close();
  }
}

/** A running plane that ends with the test. */
export async function startPlane(t: TestContext, setUp: PlaneSetUp = {}): Promise<PlaneHarness> {
  const harness = new PlaneHarness();
  await harness.start(setUp);
  t.after(() => harness.stop());
  return harness;
}

/** What a problem document says, in short. */
export function problemIn(answer: HttpAnswer): {
  status: number;
  code: string;
  field?: string;
  detail?: string;
} {
  const { status, code, field, detail } = JSON.parse(answer.body) as {
    status: number;
    code: string;
    field?: string;
    detail?: string;
  };
  return { status, code, ...(field !== undefined && { field }), ...(detail !== undefined && { detail }) };
}

/** What a forward-auth call was answered: status and X-Brume-Reason. */
export function reasonedStatus(answer: HttpAnswer): [number, string | undefined] {
  return [answer.status, answer.headers['x-brume-reason'] as string | undefined];
}

export const unavailable = new BrumeError('store_unavailable');
