import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { writeExecutable } from '../../scripts/packaging/executable.ts';
import { collectOutput, stopChild, waitUntil } from '../support/child-process.ts';
import { freePort } from '../support/free-port.ts';
import { call } from '../support/http-call.ts';
import { bareDebian } from './bare-debian.ts';
import { executablePath, version } from './packages.ts';

/** In a mount namespace of its own: the tree read-only, no program runs from /tmp, and no environment but what is given. */
const ISOLATED = `
  tree=$1; shift
  mount --bind "$tree" "$tree"
  mount -o remount,bind,ro "$tree"
  mount -t proc proc "$tree/proc"
  mount -t tmpfs -o noexec tmpfs "$tree/tmp"
  mount -t tmpfs -o noexec tmpfs "$tree/run"
  mount --bind "$tree.state" "$tree/var/lib"
  cd "$tree"
  exec env -i "$@"`;

describe('B62: the executable on a machine without Node.js, at /, without HOME, with a read-only root', () => {
  const ends: (() => void)[] = [];
  const children: ChildProcess[] = [];
  let tree: string;
  let settings: string[];
  let urls: { data: string; management: string };

  before(async () => {
    const debian = await bareDebian({ after: (end: () => void) => ends.push(end) });
    tree = debian.tree;
    cpSync(executablePath('amd64'), join(tree, 'brume'));
    await writeFaulty(join(tree, 'faulty'));
    await debian.must(`mkdir -p /root; ! command -v node`);
    cpSync(join(tree, 'var/lib'), `${tree}.state`, { recursive: true });
    const [data, management] = [await freePort(), await freePort()];
    urls = { data: `http://127.0.0.1:${data}`, management: `http://127.0.0.1:${management}` };
    settings = [`BRUME_LISTEN=127.0.0.1:${data}`, `BRUME_MANAGEMENT_LISTEN=127.0.0.1:${management}`];
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await stopChild(child, 'SIGKILL');
  });
  after(() => {
    for (const end of ends) end();
  });

  function start(...command: string[]) {
    const child = spawn(
      'unshare',
      ['--mount', '--propagation', 'private', 'bash', '-euc', ISOLATED, '_', tree, ...command],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    children.push(child);
    return { child, output: collectOutput(child) };
  }

  const serve = () => start(...settings, '/usr/sbin/chroot', '.', '/brume', 'serve');

  async function run(...command: string[]): Promise<string> {
    const { child, output } = start('/usr/sbin/chroot', '.', '/brume', ...command);
    await new Promise((resolve) => child.on('close', resolve));
    return output();
  }

  it('says its version and its help', async () => {
    assert.equal(await run('version'), `brume ${version}\n`);
    assert.match(await run('help'), /Usage: brume/);
  });

  it('serves, and every line of its log is JSON, to the last one before it ends', async () => {
    const { child, output } = serve();
    await waitUntil(child, output, async () => isReady(urls.data));
    assert.equal(await stopChild(child), 0);
    const lines = logLines(output());
    assert.deepEqual([lines[0]?.msg, lines.at(-1)?.msg], ['starting', 'stopped']);
  });

  it('logs why it ends when it cannot serve', async () => {
    const first = serve();
    await waitUntil(first.child, first.output, async () => isReady(urls.data));
    const second = serve();
    await new Promise((resolve) => second.child.on('close', resolve));
    assert.equal(second.child.exitCode, 1);
    const lines = second.output().trim().split('\n');
    const logged = logLines(lines.filter((line) => line.startsWith('{')).join('\n'));
    assert.match(String(logged.at(-1)?.level), /error|fatal/);
    assert.match(lines.join('\n'), /^brume: Brume can't start: another Brume process/m);
    assert.equal(await stopChild(first.child), 0);
  });

  it('logs an uncaught fault as its last line, before it ends with 1', async () => {
    const { child, output } = start('/usr/sbin/chroot', '.', '/faulty');
    await new Promise((resolve) => child.on('close', resolve));
    assert.equal(child.exitCode, 1);
    const lines = output().trim().split('\n');
    const logged = logLines(lines.filter((line) => line.startsWith('{')).join('\n'));
    assert.deepEqual(
      logged.map(({ level, msg }) => [level, msg]),
      [
        ['info', 'starting'],
        ['fatal', 'uncaught fault: ending'],
      ],
    );
    assert.match(JSON.stringify(logged[1]), /nobody catches this.*brume\.cjs:/);
    assert.match(lines.join('\n'), /^brume: uncaught fault: ending: nobody catches this$/m);
  });

  it('serves on when the file is deleted, also what it has not read from it before', async () => {
    const { child, output } = serve();
    await waitUntil(child, output, async () => isReady(urls.data));
    rmSync(join(tree, 'brume'));
    const document = await call(`${urls.management}/openapi.json`);
    assert.equal(JSON.parse(document.body).info.version, version);
    assert.equal((await call(`${urls.data}/ready`)).status, 200);
    assert.equal(await stopChild(child), 0);
    assert.equal(logLines(output()).at(-1)?.msg, 'stopped');
  });
});

/** Nothing from outside makes a fault in Brume that nobody catches: an executable made as it is, with one. */
async function writeFaulty(path: string): Promise<void> {
  const workDir = mkdtempSync('/var/tmp/brume-faulty-');
  const root = join(import.meta.dirname, '../..');
  try {
    const entry = 'test/packaging/faulty-entry.ts';
    await writeExecutable({ root, version, architecture: 'amd64', path, workDir, entry });
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

async function isReady(url: string): Promise<boolean> {
  return call(`${url}/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

function logLines(output: string): Record<string, unknown>[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
