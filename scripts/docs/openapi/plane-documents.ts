import { version } from '../../../src/version.ts';
import type { PlaneRoutes } from '../plane-routes.ts';
import { DATA_WORDS } from './data-words.ts';
import { MANAGEMENT_WORDS } from './management-words.ts';
import { type DocumentOptions, openApiDocument } from './openapi-document.ts';

const KEY = 'An API key of a project, with the scope of the call.';

/** docs/openapi.json */
export function managementDocument({ management: routes }: PlaneRoutes): Promise<string> {
  return documentText({
    title: 'Brume, management',
    description:
      'Organisations, projects, keys, namespaces and their rules. docs/management.md has it in words, docs/roles.md who may do what.',
    version,
    routes,
    words: MANAGEMENT_WORDS,
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The token of a session, of an OIDC provider, or a management token (brume_mt_…).',
      },
    },
  });
}

/** docs/openapi-data.json */
export function dataDocument({ data: routes }: PlaneRoutes): Promise<string> {
  return documentText({
    title: 'Brume, data plane',
    description: 'Checks, leases and reservations. docs/api.md has it in words.',
    version,
    routes,
    words: DATA_WORDS,
    securitySchemes: {
      xApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: KEY },
      apikey: { type: 'apiKey', in: 'header', name: 'apikey', description: KEY },
      bearer: { type: 'http', scheme: 'bearer', description: KEY },
    },
  });
}

async function documentText(options: DocumentOptions): Promise<string> {
  return `${JSON.stringify(await openApiDocument(options), null, 1)}\n`;
}
