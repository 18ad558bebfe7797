import type { Request } from './exchange.ts';

type Member = 'string' | 'number' | 'boolean' | 'array' | 'object';
/** Members that an answer has in any case; `nothing`: it has no body. */
type Shape = Readonly<Record<string, Member>> | 'nothing';

const LIST: Shape = { items: 'array' };
const THING: Shape = { id: 'string' };
const VERDICT: Shape = { success: 'boolean', namespace: 'string', identifier: 'string', limits: 'array' };
const APPLIED: Shape = { revision: 'number', items: 'array', effects: 'array' };

const EXCEPTIONS = ['blocks', 'exemptions', 'overrides'].flatMap((collection): [string, Shape][] => {
  const url = `/v1/projects/*/namespaces/*/${collection}`;
  return [
    [`GET ${url}`, LIST],
    [`POST ${url}`, THING],
    [`POST ${url}/import`, { added: 'number', replaced: 'number' }],
    [`GET ${url}/*`, THING],
    [`PUT ${url}/*`, THING],
    [`DELETE ${url}/*`, THING],
    [`GET ${url}/*/rivals`, { items: 'array', isWhole: 'boolean' }],
  ];
});

/** By route, what tells an answer of Brume from that of whoever else listens there: not all that is in it. */
const SHAPES: readonly (readonly [route: string, shape: Shape])[] = [
  ['POST /v1/limit', VERDICT],
  ['POST /v1/peek', VERDICT],
  ['POST /v1/reset', 'nothing'],
  [
    'GET /v1/status',
    {
      status: 'string',
      version: 'string',
      startedAt: 'string',
      configuration: 'object',
      counters: 'object',
      quotaCheckpoints: 'object',
      degraded: 'array',
    },
  ],
  ['POST /v1/session', { token: 'string' }],
  ['DELETE /v1/session', 'nothing'],
  ['PUT /v1/session/password', 'nothing'],
  ['GET /v1/session', { name: 'string', organisations: 'array' }],
  ['GET /v1/organisations', LIST],
  ['POST /v1/organisations', THING],
  ['GET /v1/organisations/*', THING],
  ['PUT /v1/organisations/*', THING],
  ['DELETE /v1/organisations/*', 'nothing'],
  ['GET /v1/organisations/*/members', LIST],
  ['PUT /v1/organisations/*/members/*', { userId: 'string', role: 'string' }],
  ['DELETE /v1/organisations/*/members/*', 'nothing'],
  ['GET /v1/organisations/*/tokens', LIST],
  ['POST /v1/organisations/*/tokens', { id: 'string', token: 'string' }],
  ['DELETE /v1/organisations/*/tokens/*', THING],
  ['GET /v1/organisations/*/audit', LIST],
  ['GET /v1/audit', LIST],
  ['GET /v1/users', LIST],
  ['POST /v1/users', THING],
  ['GET /v1/users/*', THING],
  ['PUT /v1/users/*', THING],
  ['DELETE /v1/users/*', 'nothing'],
  ['POST /v1/users/*/invitations', { url: 'string', token: 'string' }],
  ['GET /v1/users/*/sessions', LIST],
  ['DELETE /v1/users/*/sessions', 'nothing'],
  ['DELETE /v1/users/*/sessions/*', 'nothing'],
  ['GET /v1/users/*/identities', LIST],
  ['POST /v1/users/*/identities', 'nothing'],
  ['DELETE /v1/users/*/identities', 'nothing'],
  ['GET /v1/tiers', LIST],
  ['POST /v1/tiers', THING],
  ['GET /v1/tiers/*', THING],
  ['PUT /v1/tiers/*', THING],
  ['DELETE /v1/tiers/*', 'nothing'],
  ['GET /v1/projects', LIST],
  ['POST /v1/projects', THING],
  ['GET /v1/projects/*', THING],
  ['DELETE /v1/projects/*', 'nothing'],
  ['PUT /v1/projects/*/tier', THING],
  ['GET /v1/projects/*/audit', LIST],
  ['GET /v1/projects/*/keys', LIST],
  ['POST /v1/projects/*/keys', { id: 'string', key: 'string' }],
  ['GET /v1/projects/*/keys/*', THING],
  ['DELETE /v1/projects/*/keys/*', THING],
  ['POST /v1/projects/*/keys/*/rotate', { id: 'string', key: 'string' }],
  ['GET /v1/projects/*/namespaces', LIST],
  ['POST /v1/projects/*/namespaces', { id: 'string', rule: 'object' }],
  ['GET /v1/projects/*/namespaces/*', { id: 'string', rule: 'object' }],
  ['PUT /v1/projects/*/namespaces/*', { id: 'string', rule: 'object' }],
  ['DELETE /v1/projects/*/namespaces/*', 'nothing'],
  ...EXCEPTIONS,
  ['GET /v1/projects/*/namespaces/*/exceptions/explain', { identifier: 'string', others: 'array' }],
  ['GET /v1/projects/*/namespaces/*/top', { busiest: 'array', mostDenied: 'array' }],
  ['GET /v1/projects/*/namespaces/*/leases', LIST],
  ['DELETE /v1/projects/*/leases/*', 'nothing'],
  ['GET /v1/projects/*/rules', { revision: 'number', leftOut: 'array' }],
  ['PUT /v1/projects/*/rules', APPLIED],
  ['GET /v1/projects/*/changes', LIST],
  ['GET /v1/projects/*/changes/*', { revision: 'number', items: 'array' }],
  ['POST /v1/projects/*/changes/*/rollback', APPLIED],
  ['POST /v1/projects/*/limit', VERDICT],
  ['POST /v1/projects/*/peek', VERDICT],
  ['POST /v1/projects/*/reset', 'nothing'],
  ['GET /v1/projects/*/usage', LIST],
];

const BY_ROUTE = SHAPES.map(
  ([route, shape]) => [new RegExp(`^${route.replaceAll('*', '[^/]+')}$`), shape] as const,
);

/** Undefined: nothing is known of the route. */
export function shapeOf(method: string, path: string): Shape | undefined {
  const call = `${method} ${path.replace(/\?.*$/s, '')}`;
  return BY_ROUTE.find(([route]) => route.test(call))?.[1];
}

/** Whether this can be Brume's answer to a request that it did not refuse; undefined: there is no body. */
export function isAnswerTo({ method, path }: Pick<Request, 'method' | 'path'>, body: unknown): boolean {
  const shape = shapeOf(method, path);
  if (shape === undefined) return true;
  if (shape === 'nothing') return body === undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const members = new Map<string, unknown>(Object.entries(body));
  return Object.entries(shape).every(([name, member]) => kindOf(members.get(name)) === member);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}
