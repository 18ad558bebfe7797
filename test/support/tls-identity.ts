import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from './temporary-directory.ts';

/** A certificate for localhost and 127.0.0.1, signed by itself, and its key: as files and as text. */
export function selfSigned(t: TestContext, { days = 2 } = {}) {
  const directory = temporaryDirectory(t);
  const [certPath, keyPath] = [join(directory, 'brume.crt'), join(directory, 'brume.key')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const options = [...names, '-days', String(days), '-keyout', keyPath, '-out', certPath];
  execFileSync(
    'openssl',
    ['req', '-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', ...options],
    { stdio: 'ignore' },
  );
  const [cert, key] = [readFileSync(certPath, 'utf8'), readFileSync(keyPath, 'utf8')];
  return { certPath, keyPath, cert, key };
}
