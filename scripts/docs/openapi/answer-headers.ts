import type { RouteOptions } from 'fastify';

/** The headers that answers may have, as OpenAPI's header objects. */
export const ANSWER_HEADERS = {
  'X-Request-Id': {
    description: 'What the log and the audit call this request.',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:/+=-]{1,128}$' },
  },
  ETag: {
    description: 'The version, for If-Match.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9]+"$' },
  },
  Location: {
    description: 'Where the new thing is.',
    required: true,
    schema: { type: 'string', pattern: '^/v1/' },
  },
  Allow: { description: 'Of 405: the methods of the path.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'Of 401.', schema: { type: 'string' } },
  'Retry-After': { description: 'In seconds.', schema: { type: 'integer', minimum: 0 } },
  RateLimit: { description: 'What remains, by limit.', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The quota and the window, by limit.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Of the limit that decides.', schema: { type: 'integer', minimum: 0 } },
  'X-RateLimit-Remaining': { description: 'Of the same.', schema: { type: 'integer', minimum: 0 } },
  'X-RateLimit-Reset': {
    description: 'When all of it is there again, in seconds since 1970.',
    schema: { type: 'integer', minimum: 0 },
  },
} as const;

type HeaderName = keyof typeof ANSWER_HEADERS;

const OF_REFUSALS: readonly HeaderName[] = ['Allow', 'WWW-Authenticate', 'Retry-After'];
/** Each of them can be turned off, and what isn't known is left out. */
const OF_VERDICTS: readonly HeaderName[] = [
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
];

/** What is known of an operation when its answers are described. */
export interface AnsweredOperation {
  readonly method: string;
  readonly route: RouteOptions;
  /** Answers carry ETag. */
  readonly isVersioned: boolean;
}

/** Which headers the answer with this status may have. */
export function answerHeaderNames(status: string, operation: AnsweredOperation): readonly HeaderName[] {
  const { method, route, isVersioned } = operation;
  const names = new Set<HeaderName>(['X-Request-Id']);
  if (givesVerdict(route)) for (const name of OF_VERDICTS) names.add(name);
  if (!status.startsWith('2')) for (const name of OF_REFUSALS) names.add(name);
  else if (isVersioned && method !== 'DELETE') names.add('ETag');
  if (status === '201' && hasMember(route, status, 'id')) names.add('Location');
  return [...names];
}

/** To whoever the limit is for: over the management API nobody is limited. */
function givesVerdict(route: RouteOptions): boolean {
  const { isForwardAuth = false, scope } = route.config ?? {};
  return isForwardAuth || (scope !== undefined && hasMember(route, '200', 'retryAfter'));
}

function hasMember({ schema }: RouteOptions, status: string, member: string): boolean {
  const answers = (schema?.response ?? {}) as Record<string, { properties?: object } | undefined>;
  return Object.hasOwn(answers[status]?.properties ?? {}, member);
}
