/**
 * Builds dist/: one CommonJS bundle, the assets it reads beside it, and a launcher that runs it on
 * the repository's own Node.js. `npm run build`. scripts/package makes the executable and packages.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLE, writeBundle } from './packaging/bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

/** Node.js that lies in the package of the development dependency; the host's may be older. */
const LAUNCHER = `#!/bin/sh
# Runs the bundle on the Node.js that npm installed with the repository.
here=$(dirname "$(readlink -f "$0")")
exec "$here/../node_modules/.bin/node" "$here/${BUNDLE}" "$@"
`;

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
await writeBundle(root, dist, version);
writeFileSync(join(dist, 'brume'), LAUNCHER, { mode: 0o755 });
