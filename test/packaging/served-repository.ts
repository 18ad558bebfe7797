import { execFileSync } from 'node:child_process';
import { cpSync, createReadStream, linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, normalize } from 'node:path';
import type { TestContext } from 'node:test';
import { publishedUrl } from '../../scripts/packaging/published-url.ts';
import { listening } from '../support/listening-server.ts';

const command = join(import.meta.dirname, '../../scripts/repository');
/** Where on the server they are: what apt's and dnf's settings would take for something else. */
const FOLDER = "/it's $basearch & $(ARCH), 50% [ö]";

/** A throw-away key in a keyring of its own. */
export interface TrialKey {
  readonly fingerprint: string;
  /** What makes GnuPG use that keyring. */
  readonly environment: NodeJS.ProcessEnv;
  gpg(...args: string[]): string;
}

export function trialKey(t: Pick<TestContext, 'after'>): TrialKey {
  const home = mkdtempSync(join(tmpdir(), 'brume-gpg-'));
  const environment = { ...process.env, GNUPGHOME: home };
  t.after(() => {
    execFileSync('gpgconf', ['--kill', 'all'], { env: environment });
    rmSync(home, { recursive: true, force: true });
  });
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--batch', '--quiet', ...args], { env: environment, encoding: 'utf8' });
  gpg(
    '--passphrase',
    '',
    '--quick-generate-key',
    'Brume trial <trial@brume.invalid>',
    'rsa3072',
    'sign',
    'never',
  );
  const fingerprint = /^fpr:+([0-9A-F]{40}):$/m.exec(gpg('--list-keys', '--with-colons'))?.[1];
  if (fingerprint === undefined) throw new Error('no key was made');
  return { fingerprint, environment, gpg };
}

/** Repositories that are served over HTTP, and may be tampered with. */
export interface ServedRepository {
  readonly url: string;
  /** Where their files are. */
  readonly directory: string;
  /** Serves a copy instead, in which something was changed, until the next. */
  serve(change: (directory: string) => void): void;
}

/** Makes the repositories of some packages by scripts/repository, and serves them until the test ends. */
export async function servedRepository(
  t: Pick<TestContext, 'after'>,
  key: TrialKey,
  ...packages: string[]
): Promise<ServedRepository> {
  const trial = mkdtempSync('/var/tmp/brume-repository-');
  t.after(() => rmSync(trial, { recursive: true, force: true }));
  const [from, directory, changed] = [join(trial, 'packages'), join(trial, 'made'), join(trial, 'changed')];
  mkdirSync(from);
  for (const each of packages) linkOrCopy(each, join(from, basename(each)));

  let served = directory;
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = normalize(decodeURIComponent(pathname)).replace(FOLDER, () => '');
    createReadStream(join(served, path))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  const url = `http://127.0.0.1:${await listening(t, server)}${FOLDER}`;

  const options = ['--packages', from, '--out', directory, '--key', key.fingerprint, '--url', url];
  execFileSync(command, options, { env: key.environment, stdio: ['ignore', 'ignore', 'pipe'] });
  return {
    url: publishedUrl(url),
    directory,
    serve(change) {
      rmSync(changed, { recursive: true, force: true });
      cpSync(directory, changed, { recursive: true });
      change(changed);
      served = changed;
    },
  };
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to); // another file system
  }
}
