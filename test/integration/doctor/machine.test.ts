import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startBrume } from '../../support/brume-process.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { selfSigned } from '../../support/tls-identity.ts';
import { assertFailure, assertWarning, diagnose, stopped, told } from './diagnosis.ts';

/** Runs what follows with a file system of its own in `directory`. */
function onFileSystem(directory: string, options: string): string[] {
  const script = 'mount -t tmpfs -o "$2" none "$1" && shift 2 && exec "$@"';
  const rights = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return ['unshare', ...rights, '--mount', 'sh', '-c', script, 'sh', directory, options];
}

/** A certificate that ends in so many days, of a key of its own. */
function certificate(t: TestContext, days: number) {
  const directory = temporaryDirectory(t);
  const { cert, key, keyPath } = selfSigned(t);
  const [from, certPath] = [join(directory, 'from.crt'), join(directory, 'brume.crt')];
  writeFileSync(from, cert);
  execFileSync(
    'openssl',
    ['x509', '-in', from, '-signkey', keyPath, '-days', String(days), '-out', certPath],
    { stdio: 'ignore' },
  );
  return { certPath, keyPath, cert: readFileSync(certPath, 'utf8'), key };
}

/** A management plane with TLS that does not run. */
async function withTls(t: TestContext, { certPath, keyPath }: { certPath: string; keyPath: string }) {
  return stopped(t, {
    BRUME_MANAGEMENT_LISTEN: `127.0.0.1:${await freePort()}`,
    BRUME_MANAGEMENT_TLS_CERT: certPath,
    BRUME_MANAGEMENT_TLS_KEY: keyPath,
  });
}

describe('brume doctor, of the machine', { timeout: 300_000 }, () => {
  test('a disk that is nearly full is told', async (t) => {
    const directory = temporaryDirectory(t);
    const settings = await stopped(t, { BRUME_STATE_DIR: join(directory, 'state') });
    const small = await diagnose(settings, { behind: onFileSystem(directory, 'size=8m') });
    assertFailure(small, 'disk', /8 MiB of 8 MiB are free/, /Make room/);
    const scarce = await diagnose(settings, { behind: onFileSystem(directory, 'size=100m') });
    assertWarning(scarce, 'disk', /100 MiB of 100 MiB/, /Make room/);
    assert.equal(scarce.exitCode, 0);
  });

  test('a disk without inodes, and one that can only be read, are told', async (t) => {
    const directory = temporaryDirectory(t);
    const settings = await stopped(t, { BRUME_STATE_DIR: directory });
    const inodes = await diagnose(settings, { behind: onFileSystem(directory, 'nr_inodes=20') });
    assertFailure(inodes, 'disk', /free inodes/, /df -i/);
    const readOnly = await diagnose(settings, { behind: onFileSystem(directory, 'ro') });
    assertFailure(readOnly, 'disk', /can't be written/, /Mount it/);
  });

  test('fewer open files than connections are told, of the process that serves and of one to come', async (t) => {
    const settings = await stopped(t);
    const few = await diagnose(settings, { behind: ['prlimit', '--nofile=1000:1000'] });
    assertWarning(
      few,
      'descriptors',
      /started from here may open 1000 files.*10000 on 2 listeners would need 20200/,
      /LimitNOFILE=65536/,
    );
    const brume = await startBrume({ BRUME_CONNECTIONS_MAX: '10' });
    t.after(() => brume.stop());
    const [open] = told(await diagnose(brume.settings), 'descriptors', 'ok');
    const count = Number(/has (\d+) open/.exec(open?.text ?? '')?.[1]);
    assert.ok(count > 0);
    execFileSync('prlimit', ['--pid', String(brume.pid), `--nofile=${count + 1}:`]);
    assertFailure(await diagnose(brume.settings), 'descriptors', /soon nobody can connect/, /LimitNOFILE=/);
  });

  test('certificates that have ended, and that end soon, are told', async (t) => {
    const ended = await diagnose(await withTls(t, certificate(t, -1)));
    assertFailure(
      ended,
      'certificates',
      /BRUME_MANAGEMENT_TLS_CERT .*CN=localhost ended on /,
      /systemctl reload/,
    );
    const soon = await diagnose(await withTls(t, certificate(t, 5)));
    assertWarning(soon, 'certificates', /ends on .*, in [45] days/, /Put a new one/);
    const lasting = await diagnose(await withTls(t, certificate(t, 90)));
    assert.match(told(lasting, 'certificates', 'ok')[0]?.text ?? '', /valid until /);
  });

  test('a key that is another certificate’s is told', async (t) => {
    const { certPath } = certificate(t, 90);
    const { keyPath } = certificate(t, 90);
    assertFailure(
      await diagnose(await withTls(t, { certPath, keyPath })),
      'certificates',
      /is the key of another one/,
      /Give the key/,
    );
  });

  test('a renewed certificate that is not in use yet is told', async (t) => {
    const first = certificate(t, 90);
    const brume = await startBrume({
      BRUME_MANAGEMENT_LISTEN: `127.0.0.1:${await freePort()}`,
      BRUME_MANAGEMENT_TLS_CERT: first.certPath,
      BRUME_MANAGEMENT_TLS_KEY: first.keyPath,
    });
    t.after(() => brume.stop());
    const same = await diagnose(brume.settings);
    assert.equal(told(same, 'certificates', 'warning').length, 0);
    assert.ok(told(same, 'listeners', 'ok').some(({ text }) => text.startsWith('BRUME_MANAGEMENT_LISTEN')));
    const second = certificate(t, 120);
    writeFileSync(first.certPath, second.cert);
    writeFileSync(first.keyPath, second.key);
    assertWarning(
      await diagnose(brume.settings),
      'certificates',
      /shows another certificate than is in/,
      /systemctl reload/,
    );
  });

  test('a clock that was set back is told by files that were written later', async (t) => {
    const settings = await stopped(t);
    const path = join(settings.BRUME_STATE_DIR ?? '', 'counters.sqlite');
    mkdirSync(settings.BRUME_STATE_DIR ?? '');
    writeFileSync(path, '');
    const later = Date.now() / 1000 + 3600;
    utimesSync(path, later, later);
    assertWarning(
      await diagnose(settings),
      'clocks',
      /3[56]\d\d s in the future: the clock of this machine was set back/,
      /timedatectl/,
    );
  });
});
