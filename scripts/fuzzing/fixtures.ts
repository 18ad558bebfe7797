/** What is there before the first request, so that what is made up can be replaced by something real. */

/** Asks over the admin socket; fails unless the answer is a 2xx. Gives its body. */
export type Ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<Answer>;

/** The members of answers that are read here. */
export interface Answer {
  readonly id: string;
  readonly key: string;
  readonly token: string;
}

export interface Fixtures {
  /** Values of path parameters, by the segment before them, as `projects`; `namespaces` also of bodies. */
  readonly known: Readonly<Record<string, readonly string[]>>;
  /** Names and ids that no request may delete or rename. */
  readonly kept: readonly string[];
  /** An API key with every scope. */
  readonly key: string;
}

const limit = (algorithm: string, more: object) => ({ limits: [{ name: 'minute', algorithm, ...more }] });

const RULES: Readonly<Record<string, object>> = {
  wide: limit('fixed_window', { limit: 1_000_000, windowMs: 3_600_000 }),
  narrow: limit('gcra', { limit: 5, windowMs: 60_000 }),
  log: limit('sliding_log', { limit: 20, windowMs: 1000 }),
  bucket: {
    ...limit('leaky_bucket', { limit: 10, windowMs: 1000 }),
    quotas: [{ limit: 20_000, period: 'month' }],
  },
  slots: limit('concurrency', { limit: 3, ttlMs: 30_000 }),
  places: limit('concurrency', { limit: 1000, ttlMs: 3_600_000 }),
  addresses: { kind: 'ip', ...limit('sliding_window', { limit: 10, windowMs: 60_000 }) },
};
const SCOPES = ['limit', 'peek', 'lease', 'reset'];

/** Makes two projects, one of which may be taken apart, and some of everything that paths can name. */
export async function makeFixtures(ask: Ask): Promise<Fixtures> {
  const acme = await ask('POST', '/v1/organisations', { name: 'acme' });
  const shop = await ask('POST', '/v1/projects', { name: 'shop' });
  const spare = await ask('POST', '/v1/projects', { name: 'spare', organisation: 'acme' });
  const tier = await ask('POST', '/v1/tiers', { name: 'roomy', callsPerDay: 1_000_000_000 });
  const bert = await ask('POST', '/v1/users', { login: 'bert' });
  await ask('PUT', '/v1/organisations/acme/members/bert', { role: 'developer' });
  const token = await ask('POST', '/v1/organisations/acme/tokens', {
    name: 'deploy',
    role: 'viewer',
    expiresAt: inADay(),
  });

  const known: Record<string, string[]> = {
    organisations: ['default', 'org_default', 'acme', acme.id],
    projects: ['shop', shop.id, 'shop', 'spare', spare.id],
    namespaces: Object.keys(RULES),
    users: ['bert', bert.id],
    members: ['bert', bert.id],
    tokens: [token.id],
    tiers: ['roomy', tier.id],
    changes: ['1', '2', '5', '9'],
    keys: [],
    blocks: [],
    exemptions: [],
    overrides: [],
  };
  for (const project of ['shop', 'spare']) {
    for (const [name, rule] of Object.entries(RULES)) {
      await ask('POST', `/v1/projects/${project}/namespaces`, { name, rule });
    }
    for (const name of ['web', 'app']) {
      const key = { name, kind: 'service', scopes: SCOPES };
      known.keys?.push((await ask('POST', `/v1/projects/${project}/keys`, key)).id);
    }
    await addExceptions(ask, project, known);
  }
  const fuzzer = { name: 'fuzzer', kind: 'service', scopes: SCOPES };
  const { id: keyId, key } = await ask('POST', '/v1/projects/shop/keys', fuzzer);
  const kept = ['shop', shop.id, 'default', 'org_default', keyId, ...Object.keys(RULES)];
  return { known, kept, key };
}

/** In `wide`, of which most requests that are steered are about. */
async function addExceptions(ask: Ask, project: string, known: Record<string, string[]>): Promise<void> {
  const path = `/v1/projects/${project}/namespaces/wide`;
  for (const match of ['mallory', 'bot-*', 'alice*']) {
    known.blocks?.push((await ask('POST', `${path}/blocks`, { match, reason: 'scanner' })).id);
    known.exemptions?.push((await ask('POST', `${path}/exemptions`, { match: `${match}-us` })).id);
    const limits = [{ name: 'minute', limit: 10 }];
    known.overrides?.push((await ask('POST', `${path}/overrides`, { match, limits })).id);
  }
}

export function inADay(): string {
  return new Date(Date.now() + 86_400_000).toISOString();
}
