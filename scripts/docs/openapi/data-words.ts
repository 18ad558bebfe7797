import { NODE_WORDS, type WordsOfRoutes } from './route-words.ts';

const CHECK = { namespace: 'login', identifier: 'alice', cost: 1 };
const ASK =
  'Asks about the request of somebody else, for a reverse proxy; any method, and any path behind it';

export const DATA_WORDS: WordsOfRoutes = {
  ...NODE_WORDS,
  'POST /v1/limit': { summary: 'Checks and consumes', example: CHECK },
  'POST /v1/peek': { summary: 'Gives the same verdict and consumes nothing', example: CHECK },
  'POST /v1/limit/batch': {
    summary: 'Checks up to 1,000 at once; with atomic up to 100, all or none',
    example: { checks: [CHECK, { namespace: 'api', identifier: 'alice' }], atomic: true },
  },
  'POST /v1/reset': {
    summary: 'Forgets what an identifier used',
    example: { namespace: 'login', identifier: 'alice' },
  },
  'POST /v1/leases': {
    summary: 'Takes a place of a concurrency limit',
    example: { namespace: 'export', identifier: 'alice' },
  },
  'PUT /v1/leases/:id': { summary: 'Holds the place for longer' },
  'DELETE /v1/leases/:id': { summary: 'Gives the place back' },
  'POST /v1/reservations': {
    summary: 'Holds an estimated cost until the real one is known',
    example: { namespace: 'tokens', identifier: 'alice', cost: 500 },
  },
  'POST /v1/reservations/:id/commit': { summary: 'Charges the real cost', example: { cost: 420 } },
  'DELETE /v1/reservations/:id': { summary: 'Gives the estimated cost back' },
  'ANY /v1/auth/nginx/:namespace': { summary: `${ASK}. 200 or 403, as auth_request wants it` },
  'ANY /v1/auth/forward/:namespace': { summary: `${ASK}. 200 or 429, 503 when closed` },
};
