import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { carriedFiles } from './carried-files.ts';

export const BUNDLE = 'brume.cjs';

/**
 * Writes the product into the folder `out`, which exists and is empty: one CommonJS bundle, and the
 * files that it carries beside it, under their paths in the repository. `entry` is where the product begins.
 */
export async function writeBundle(
  root: string,
  out: string,
  version: string,
  entry = 'src/main.ts',
): Promise<void> {
  await build({
    entryPoints: [join(root, entry)],
    outfile: join(out, BUNDLE),
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
    plugins: [leanEnvSchema],
    absWorkingDir: root,
    logLevel: 'warning',
  });

  for (const path of carriedFiles(root)) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    cpSync(join(root, path), join(out, path));
  }
  const { name, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(out, 'package.json'), `${JSON.stringify({ name, version, license }, null, 2)}\n`);
}

/**
 * env-schema makes an Ajv of its own as soon as it is loaded, which compiles the schema of schemas to check two
 * that are its own: a part of each command's start. Fails where that stands there no more.
 */
const leanEnvSchema: Plugin = {
  name: 'lean-env-schema',
  setup({ onLoad }) {
    onLoad({ filter: /\/env-schema\/index\.js$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const lean = source.replace('addUsedSchema: false,', (option) => `${option} validateSchema: false,`);
      if (lean === source) throw new Error(`${path}: see scripts/packaging/bundle.ts`);
      return { contents: lean };
    });
  },
};
