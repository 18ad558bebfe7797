import { EXAMPLE_RULE, NODE_WORDS, type WordsOfRoutes } from './route-words.ts';

const PROJECT = '/v1/projects/:project';
const ORGANISATION = '/v1/organisations/:organisation';
const CHECK = { namespace: 'login', identifier: 'alice' };

const PEOPLE: WordsOfRoutes = {
  'POST /v1/session': {
    summary: 'Signs in',
    example: { login: 'anna', password: 'correct horse battery staple' },
  },
  'GET /v1/session': { summary: 'Who asks, and with which roles' },
  'DELETE /v1/session': { summary: 'Signs out' },
  'PUT /v1/session/password': {
    summary: "Changes one's own password, and ends one's other sessions",
    example: { password: 'correct horse battery staple', newPassword: 'another horse battery staple' },
  },
  'GET /v1/sessions': { summary: "Lists one's own sessions" },
  'DELETE /v1/sessions/:session': { summary: "Ends one of one's own sessions" },
  'POST /v1/invitations/accept': {
    summary: 'Sets a password with a one-time link',
    example: { token: 'the-token-of-the-link', password: 'correct horse battery staple' },
  },
  'GET /v1/users': { summary: 'Lists users' },
  'POST /v1/users': { summary: 'Creates a user', example: { login: 'anna' }, isVersioned: true },
  'GET /v1/users/:user': { summary: 'Shows a user, by login or id', isVersioned: true },
  'PUT /v1/users/:user': {
    summary: 'Disables a user, or enables it again',
    example: { isDisabled: true },
    isVersioned: true,
  },
  'DELETE /v1/users/:user': { summary: 'Deletes a user with memberships, sessions and tokens' },
  'GET /v1/users/:user/identities': { summary: 'Lists who a user is at OIDC providers' },
  'DELETE /v1/users/:user/identities': {
    summary: 'Ends the link of a user to a subject of an OIDC provider',
  },
  'POST /v1/users/:user/identities': {
    summary: 'Links a user to a subject of an OIDC provider',
    example: { issuer: 'https://id.example.com', subject: '248289761001' },
  },
  'POST /v1/users/:user/invitations': { summary: 'Makes a one-time link for setting a password' },
  'GET /v1/users/:user/sessions': { summary: 'Lists the sessions of a user' },
  'DELETE /v1/users/:user/sessions': { summary: 'Ends all sessions of a user' },
  'DELETE /v1/users/:user/sessions/:session': { summary: 'Ends a session of a user' },
};

const ORGANISATIONS: WordsOfRoutes = {
  'GET /v1/organisations': { summary: "Lists one's own organisations" },
  'POST /v1/organisations': {
    summary: 'Creates an organisation, for whoever asks; an owner may name another owner',
    example: { name: 'acme' },
    isVersioned: true,
  },
  [`GET ${ORGANISATION}`]: { summary: 'Shows an organisation, by name or id', isVersioned: true },
  [`PUT ${ORGANISATION}`]: {
    summary: 'Renames an organisation',
    example: { name: 'acme-eu' },
    isVersioned: true,
  },
  [`DELETE ${ORGANISATION}`]: { summary: 'Deletes an organisation that has no projects', isVersioned: true },
  [`GET ${ORGANISATION}/members`]: { summary: 'Lists members' },
  [`PUT ${ORGANISATION}/members/:user`]: {
    summary: 'Adds a member, or changes the role',
    example: { role: 'developer' },
    isVersioned: true,
  },
  [`DELETE ${ORGANISATION}/members/:user`]: { summary: 'Removes a member' },
  [`GET ${ORGANISATION}/tokens`]: { summary: 'Lists management tokens, ended ones too' },
  [`POST ${ORGANISATION}/tokens`]: {
    summary: 'Makes a management token, which is shown this once',
    example: { name: 'deploy', role: 'developer', expiresAt: '2030-01-31T12:00:00Z' },
  },
  [`DELETE ${ORGANISATION}/tokens/:token`]: { summary: 'Revokes a management token' },
  [`GET ${ORGANISATION}/audit`]: { summary: 'Who changed what in an organisation' },
  'GET /v1/status': {
    summary: 'What the node that answers says of itself: stores, nodes, degraded namespaces',
  },
  'GET /v1/audit': { summary: 'Who changed what, everywhere' },
  'GET /v1/tiers': { summary: 'Lists tiers' },
  'POST /v1/tiers': {
    summary: 'Creates a tier: a ceiling of calls a day',
    example: { name: 'free', callsPerDay: 100_000 },
    isVersioned: true,
  },
  'GET /v1/tiers/:tier': { summary: 'Shows a tier, by name or id', isVersioned: true },
  'PUT /v1/tiers/:tier': {
    summary: 'Changes a tier',
    example: { name: 'free', callsPerDay: 200_000 },
    isVersioned: true,
  },
  'DELETE /v1/tiers/:tier': { summary: 'Deletes a tier that no project has', isVersioned: true },
};

const PROJECTS: WordsOfRoutes = {
  'GET /v1/projects': { summary: "Lists the projects of one's own organisations" },
  'POST /v1/projects': {
    summary: 'Creates a project',
    example: { name: 'shop', organisation: 'acme' },
    isVersioned: true,
  },
  [`GET ${PROJECT}`]: { summary: 'Shows a project, by name or id', isVersioned: true },
  [`DELETE ${PROJECT}`]: { summary: 'Deletes a project with its keys and namespaces', isVersioned: true },
  [`PUT ${PROJECT}/tier`]: {
    summary: 'Gives a project a tier, or none',
    example: { tier: 'free' },
    isVersioned: true,
  },
  [`GET ${PROJECT}/audit`]: { summary: 'Who changed what in a project' },
  [`GET ${PROJECT}/usage`]: { summary: 'How much a project uses, by hour or day' },
  [`GET ${PROJECT}/keys`]: { summary: 'Lists API keys, ended ones too' },
  [`POST ${PROJECT}/keys`]: {
    summary: 'Makes an API key, which is shown this once',
    example: { name: 'web', kind: 'service', scopes: ['limit', 'peek'] },
  },
  [`GET ${PROJECT}/keys/:key`]: { summary: 'Shows an API key, by id' },
  [`POST ${PROJECT}/keys/:key/rotate`]: {
    summary: 'Makes a new API key like this one, which ends after an overlap',
    example: { overlapMs: 3_600_000 },
  },
  [`DELETE ${PROJECT}/keys/:key`]: { summary: 'Revokes an API key' },
  [`GET ${PROJECT}/rules`]: { summary: 'Gives all rules of a project as one document' },
  [`PUT ${PROJECT}/rules`]: {
    summary: 'Replaces the rules of a project, or says what that would change',
    example: { namespaces: { login: EXAMPLE_RULE } },
    isVersioned: true,
  },
  [`GET ${PROJECT}/changes`]: { summary: 'Lists the changes of a project' },
  [`GET ${PROJECT}/changes/:revision`]: { summary: 'Shows a change' },
  [`POST ${PROJECT}/changes/:revision/rollback`]: {
    summary: 'Goes back to how it was at a change',
    example: {},
  },
  [`POST ${PROJECT}/limit`]: { summary: 'Checks and consumes, as the project would', example: CHECK },
  [`POST ${PROJECT}/peek`]: { summary: 'Gives the same verdict and consumes nothing', example: CHECK },
  [`POST ${PROJECT}/reset`]: { summary: 'Forgets what an identifier used', example: CHECK },
  [`DELETE ${PROJECT}/leases/:lease`]: { summary: 'Gives the place of a lease back' },
};

const NAMESPACE = `${PROJECT}/namespaces/:namespace`;

const NAMESPACES: WordsOfRoutes = {
  [`GET ${PROJECT}/namespaces`]: { summary: 'Lists namespaces' },
  [`POST ${PROJECT}/namespaces`]: {
    summary: 'Creates a namespace',
    example: { name: 'login', rule: EXAMPLE_RULE },
    isVersioned: true,
  },
  [`GET ${NAMESPACE}`]: { summary: 'Shows a namespace, by name', isVersioned: true },
  [`PUT ${NAMESPACE}`]: {
    summary: 'Replaces the rule of a namespace',
    example: { rule: EXAMPLE_RULE },
    isVersioned: true,
  },
  [`DELETE ${NAMESPACE}`]: { summary: 'Deletes a namespace', isVersioned: true },
  [`GET ${NAMESPACE}/leases`]: { summary: 'Lists the leases that an identifier holds' },
  [`GET ${NAMESPACE}/top`]: { summary: 'Which identifiers come most and are denied most, on this node' },
  [`GET ${NAMESPACE}/exceptions/explain`]: {
    summary: 'Which block, exemption or override decides for an identifier',
  },
  ...exceptionWords('blocks', 'block', {}),
  ...exceptionWords('exemptions', 'exemption', {}),
  ...exceptionWords('overrides', 'override', { limits: [{ name: 'minute', limit: 600 }] }),
};

function exceptionWords(
  collection: string,
  one: string,
  more: Readonly<Record<string, unknown>>,
): WordsOfRoutes {
  const path = `${NAMESPACE}/${collection}`;
  const a = /^[aeio]/.test(one) ? `an ${one}` : `a ${one}`;
  const example = { match: 'customer-*', ...more, reason: 'contract 2026-118' };
  const { match, ...withoutMatch } = example;
  return {
    [`GET ${path}`]: { summary: `Lists ${collection}` },
    [`POST ${path}`]: { summary: `Adds ${a}`, example, isVersioned: true },
    [`GET ${path}/:exception`]: { summary: `Shows ${a}`, isVersioned: true },
    [`PUT ${path}/:exception`]: { summary: `Changes ${a}`, example: withoutMatch, isVersioned: true },
    [`DELETE ${path}/:exception`]: { summary: `Removes ${a}`, isVersioned: true },
    [`POST ${path}/import`]: {
      summary: `Adds up to 1,000 ${collection} in one change`,
      example: { entries: [example], replace: true },
    },
    [`GET ${path}/:exception/rivals`]: { summary: `What wins over ${a} for some of those whom it is for` },
  };
}

export const MANAGEMENT_WORDS: WordsOfRoutes = {
  ...NODE_WORDS,
  'GET /metrics': { summary: 'What this node counts of itself' },
  'GET /openapi.json': { summary: 'This document' },
  'GET /openapi-data.json': { summary: 'The same of the data plane' },
  'GET /invitation': { summary: 'The page on which somebody who was invited sets a password' },
  'GET /invitation/:file': { summary: 'What that page needs: page.js, page.css' },
  'GET /docs': { summary: 'This document, to be read and tried in a browser' },
  'GET /docs/data': { summary: 'The same of the data plane' },
  'GET /docs/:file': { summary: 'What those pages are made of' },
  ...PEOPLE,
  ...ORGANISATIONS,
  ...PROJECTS,
  ...NAMESPACES,
};
