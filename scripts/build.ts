/**
 * Builds dist/: one CommonJS bundle, the assets it reads beside it, and a launcher that runs it on
 * the repository's own Node.js. `npm run build`.
 */
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** Node.js that lies in the package of the development dependency; the host's may be older. */
const LAUNCHER = `#!/bin/sh
# Runs the bundle on the Node.js that npm installed with the repository.
here=$(dirname "$(readlink -f "$0")")
exec "$here/../node_modules/.bin/node" "$here/brume.cjs" "$@"
`;

/** What the management plane's documentation pages are made of. */
const API_DOCUMENTS = ['docs/openapi.json', 'docs/openapi-data.json'];
const SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js'].map(
  (file) => `node_modules/@fastify/swagger-ui/static/${file}`,
);

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

await build({
  entryPoints: [join(root, 'src/main.ts')],
  outfile: join(dist, 'brume.cjs'),
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // Names stay, so that stack traces in logs can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  external: ['pg-native'],
  // A CommonJS bundle has no import.meta; src/assets.ts looks beside the bundle.
  define: { 'import.meta.dirname': '__dirname' },
  logLevel: 'warning',
});

for (const path of ['lua', 'migrations', ...API_DOCUMENTS, ...SWAGGER_UI]) {
  cpSync(join(root, path), join(dist, path), { recursive: true });
}
const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ name, version, license }, null, 2)}\n`);
writeFileSync(join(dist, 'brume'), LAUNCHER);
chmodSync(join(dist, 'brume'), 0o755);
