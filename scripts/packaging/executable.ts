import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLE, writeBundle } from './bundle.ts';
import { carriedFiles } from './carried-files.ts';
import { ARCHITECTURES, type Architecture, writeNodeBinary } from './node-binary.ts';

export interface ExecutableOptions {
  readonly root: string;
  readonly version: string;
  readonly architecture: Architecture;
  /** Where the executable goes. */
  readonly path: string;
  /** An empty folder to work in. */
  readonly workDir: string;
  /** Another beginning than Brume's, for tests. */
  readonly entry?: string;
}

/**
 * Makes the executable: Node.js with the bundle and all that it carries inside, as a single executable
 * application. Node.js judges nothing of the command line and NODE_OPTIONS for itself; the rest that
 * could make a bare Node.js of it deaf-node.ts and src/sealed-environment.ts take care of. The same input gives the same bytes.
 */
export async function writeExecutable(options: ExecutableOptions): Promise<void> {
  const { root, version, architecture, path, workDir, entry } = options;
  const bundleDir = join(workDir, 'bundle');
  mkdirSync(bundleDir);
  await writeBundle(root, bundleDir, version, entry);

  // pkg looks for Node.js in a cache below HOME, and would download it if it weren't there.
  const name = `node-v${process.versions.node}-linux-${ARCHITECTURES[architecture].node}`;
  const cache = join(workDir, 'home/.pkg-cache/sea');
  mkdirSync(join(cache, name, 'bin'), { recursive: true });
  writeNodeBinary(root, architecture, join(cache, name, 'bin/node'), workDir);
  for (const mark of [`${name}/bin/node.ok`, `${name}.tar.gz`, `${name}.tar.gz.ok`])
    writeFileSync(join(cache, mark), '');

  const paths = [...carriedFiles(root), 'package.json'].sort();
  const task = {
    main: join(bundleDir, BUNDLE),
    target: {
      nodeRange: `node${process.versions.node}`,
      platform: 'linux',
      arch: ARCHITECTURES[architecture].node,
      output: path,
    },
    seaConfig: {
      // Relative to the folder in which pkg works: the name stands in the executable.
      main: `../bundle/${BUNDLE}`,
      assets: Object.fromEntries(paths.map((asset) => [asset, join(bundleDir, asset)])),
      // Node.js takes the name by which it was started for the first argument: after -- it is no option.
      execArgv: ['--disable-sigusr1', '--'],
      execArgvExtension: 'none',
      // So that each start needn't read the whole bundle. A cache is for the Node.js that has made it.
      useCodeCache: ARCHITECTURES[architecture].node === process.arch,
    },
  };
  execFileSync(process.execPath, [join(root, 'scripts/packaging/run-pkg.cjs'), JSON.stringify(task)], {
    env: { PATH: process.env.PATH, HOME: join(workDir, 'home'), TMPDIR: workDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
