/** A command line that makes the call of a route, word by word; `input` is what it reads. */
interface RouteCommand {
  readonly line: readonly string[];
  readonly input?: string;
  /** What the sample answer means to the command; 0 if absent. */
  readonly exitCode?: number;
}

const NAMESPACE = '/v1/projects/:project/namespaces/:namespace';
const RULES = 'project: shop\nnamespaces: {}\n';

const EXCEPTIONS = [
  ['blocks', 'block', []],
  ['exemptions', 'exempt', []],
  ['overrides', 'override', ['--limit', '9']],
] as const;

/** How the command line does what a route does. */
export const ROUTE_COMMANDS: Readonly<Record<string, RouteCommand>> = {
  'GET /v1/session': { line: ['whoami'] },
  'GET /v1/organisations': { line: ['org', 'list'] },
  'POST /v1/organisations': { line: ['org', 'create', 'retail'] },
  'GET /v1/organisations/:organisation': { line: ['org', 'show', 'retail'] },
  'PUT /v1/organisations/:organisation': { line: ['org', 'rename', 'retail', 'store', '--expect', '3'] },
  'DELETE /v1/organisations/:organisation': { line: ['org', 'delete', 'retail', '--yes', '--expect', '3'] },
  'GET /v1/organisations/:organisation/members': { line: ['org', 'members', 'retail'] },
  'PUT /v1/organisations/:organisation/members/:user': {
    line: ['org', 'add', 'retail', 'anna', '--role', 'viewer'],
  },
  'DELETE /v1/organisations/:organisation/members/:user': { line: ['org', 'remove', 'retail', 'anna'] },
  'GET /v1/organisations/:organisation/tokens': { line: ['token', 'list', 'retail'] },
  'POST /v1/organisations/:organisation/tokens': {
    line: ['token', 'create', 'retail', 'ci', '--role', 'viewer', '--expires-in', '1d'],
  },
  'DELETE /v1/organisations/:organisation/tokens/:token': { line: ['token', 'revoke', 'retail', 'mt_1'] },
  'GET /v1/users': { line: ['user', 'list'] },
  'POST /v1/users': { line: ['user', 'invite', 'anna'] },
  'POST /v1/users/:user/invitations': { line: ['user', 'invite', 'anna'] },
  'GET /v1/users/:user': { line: ['user', 'show', 'anna'] },
  'PUT /v1/users/:user': { line: ['user', 'disable', 'anna'] },
  'DELETE /v1/users/:user': { line: ['user', 'delete', 'anna', '--yes'] },
  'POST /v1/users/:user/identities': {
    line: ['user', 'link', 'anna', '--issuer', 'https://id.example.org', '--subject', '7'],
  },
  'GET /v1/users/:user/identities': { line: ['user', 'identities', 'anna'] },
  'DELETE /v1/users/:user/identities': {
    line: ['user', 'unlink', 'anna', '--issuer', 'https://id.example.org', '--subject', '7'],
  },
  'GET /v1/users/:user/sessions': { line: ['user', 'sessions', 'anna'] },
  'DELETE /v1/users/:user/sessions': { line: ['user', 'sessions', 'anna', '--revoke-all'] },
  'DELETE /v1/users/:user/sessions/:session': { line: ['user', 'sessions', 'anna', '--revoke', 'ses_1'] },
  'GET /v1/tiers': { line: ['tier', 'list'] },
  'POST /v1/tiers': { line: ['tier', 'create', 'free', '--calls-per-day', '10000'] },
  'GET /v1/tiers/:tier': { line: ['tier', 'show', 'free'] },
  'PUT /v1/tiers/:tier': { line: ['tier', 'set', 'free', '--name', 'trial'] },
  'DELETE /v1/tiers/:tier': { line: ['tier', 'delete', 'free', '--yes', '--expect', '3'] },
  'PUT /v1/projects/:project/tier': { line: ['project', 'tier', 'shop', 'free', '--expect', '3'] },
  'GET /v1/audit': { line: ['audit', '--last', '1d', '--actor', 'user:anna', '--limit', '9'] },
  'GET /v1/organisations/:organisation/audit': {
    line: ['audit', '--organisation', 'retail', '--from', '2026-07-01T12:00:00Z', '--after', '7'],
  },
  'GET /v1/projects/:project/usage': {
    line: ['usage', 'shop', '--by', 'key', '--step', 'hour', '--last', '12h', '--namespace', 'login'],
  },
  'GET /v1/projects/:project/audit': {
    line: ['audit', '--project', 'shop', '--action', 'key.create', '--to', '2026-07-01T12:00:00Z'],
  },
  'GET /v1/projects': { line: ['project', 'list', '--organisation', 'retail'] },
  'POST /v1/projects': { line: ['project', 'create', 'shop', '--organisation', 'retail'] },
  'GET /v1/projects/:project': { line: ['project', 'show', 'shop'] },
  'DELETE /v1/projects/:project': { line: ['project', 'delete', 'shop', '--yes', '--expect', '3'] },
  'GET /v1/projects/:project/keys': { line: ['key', 'list', 'shop'] },
  'POST /v1/projects/:project/keys': {
    line: ['key', 'create', 'shop', 'web', '--kind', 'publishable', '--scope', 'peek', '--expires-in', '30d'],
  },
  'GET /v1/projects/:project/keys/:key': { line: ['key', 'show', 'shop', 'key_1'] },
  'DELETE /v1/projects/:project/keys/:key': { line: ['key', 'revoke', 'shop', 'key_1'] },
  'POST /v1/projects/:project/keys/:key/rotate': {
    line: ['key', 'rotate', 'shop', 'key_1', '--overlap', '0s', '--expires-at', '2030-01-31T12:00:00Z'],
  },
  'GET /v1/projects/:project/namespaces': { line: ['namespace', 'list', 'shop'] },
  'POST /v1/projects/:project/namespaces': {
    line: ['namespace', 'create', 'shop', 'login', '--limit', '5', '--window', '1m'],
  },
  [`GET ${NAMESPACE}`]: { line: ['namespace', 'show', 'shop', 'login'] },
  [`PUT ${NAMESPACE}`]: { line: ['namespace', 'update', 'shop', 'login', '--mode', 'shadow'] },
  [`DELETE ${NAMESPACE}`]: { line: ['namespace', 'delete', 'shop', 'login', '--yes', '--expect', '3'] },
  [`GET ${NAMESPACE}/exceptions/explain`]: {
    line: ['block', 'check', 'login', 'anna', '--project', 'shop'],
  },
  ...Object.fromEntries(
    EXCEPTIONS.flatMap(([collection, group, limits]) => {
      const at = ['login', 'anna', '--project', 'shop'];
      const exceptions = `${NAMESPACE}/${collection}`;
      const imported = [group, 'import', 'login', '-', '--project', 'shop', ...limits, '--for', '1d'];
      const commands: [string, RouteCommand][] = [
        [`GET ${exceptions}`, { line: [group, 'list', 'login', '--project', 'shop', '--match', 'anna'] }],
        [`POST ${exceptions}`, { line: [group, 'add', ...at, ...limits, '--for', '1d'] }],
        [`GET ${exceptions}/:exception/rivals`, { line: [group, 'add', ...at, ...limits] }],
        [`PUT ${exceptions}/:exception`, { line: [group, 'update', ...at, ...limits, '--endless'] }],
        [`DELETE ${exceptions}/:exception`, { line: [group, 'remove', ...at, '--expect', '3'] }],
        [`POST ${exceptions}/import`, { line: imported, input: 'anna\nbert,,abuse\n' }],
      ];
      return commands;
    }),
  ),
  'GET /v1/projects/:project/rules': { line: ['rules', 'export', 'shop'] },
  'PUT /v1/projects/:project/rules': { line: ['rules', 'apply', '-', '--prune', '--yes'], input: RULES },
  'GET /v1/projects/:project/changes': { line: ['rules', 'history', 'shop', '--limit', '9'] },
  'GET /v1/projects/:project/changes/:revision': { line: ['rules', 'history', 'shop', '7'] },
  'POST /v1/projects/:project/changes/:revision/rollback': {
    line: ['rules', 'rollback', 'shop', '0', '--yes'],
  },
  'POST /v1/projects/:project/limit': {
    line: ['limit', 'shop', 'login', 'anna', '--cost', '2', '--request-id', 'r1'],
  },
  'POST /v1/projects/:project/peek': { line: ['peek', 'shop', 'login', 'anna'] },
  'POST /v1/projects/:project/reset': { line: ['reset', 'shop', 'login', 'anna'] },
  [`GET ${NAMESPACE}/leases`]: { line: ['lease', 'list', 'shop', 'login', 'anna'] },
  'DELETE /v1/projects/:project/leases/:lease': { line: ['lease', 'release', 'shop', 'lease_1'] },
  'GET /v1/status': { line: ['status'], exitCode: 1 },
  [`GET ${NAMESPACE}/top`]: { line: ['top', 'shop', 'login', '--limit', '128'] },
};

const SIGNING_IN = 'of people who sign in with a browser; the command line has tokens or the admin socket';
const BY_A_SESSION_OF_ITS_OWN = 'user password calls it with a session of its own: password.test.ts';
const MACHINES = 'for what watches or scrapes, and speaks HTTP itself';
const DOCUMENTS = 'read in a browser; the command line has its own help';
const BY_ID = 'list --match finds the same by what people know of it';

/** Routes that no command calls, and why. */
export const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  'POST /v1/session': SIGNING_IN,
  'DELETE /v1/session': SIGNING_IN,
  'GET /v1/sessions': SIGNING_IN,
  'DELETE /v1/sessions/:session': SIGNING_IN,
  'PUT /v1/session/password': BY_A_SESSION_OF_ITS_OWN,
  'POST /v1/invitations/accept': SIGNING_IN,
  'GET /invitation': SIGNING_IN,
  'GET /invitation/:file': SIGNING_IN,
  'GET /health': MACHINES,
  'GET /ready': MACHINES,
  'GET /metrics': MACHINES,
  'GET /openapi.json': DOCUMENTS,
  'GET /openapi-data.json': DOCUMENTS,
  'GET /docs': DOCUMENTS,
  'GET /docs/data': DOCUMENTS,
  'GET /docs/:file': DOCUMENTS,
  [`GET ${NAMESPACE}/blocks/:exception`]: BY_ID,
  [`GET ${NAMESPACE}/exemptions/:exception`]: BY_ID,
  [`GET ${NAMESPACE}/overrides/:exception`]: BY_ID,
};
