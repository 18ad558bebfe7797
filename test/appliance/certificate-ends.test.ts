import { deepEqual, equal } from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { certificateEnds } from '../../src/appliance/certificate-ends.ts';
import { certificatesIn } from '../../src/config/certificates.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { selfSigned } from '../support/tls-identity.ts';

describe('the ends of certificates', () => {
  it('are those of the files that are named, of a chain the first one', (t) => {
    const [sooner, later] = [selfSigned(t, { days: 2 }), selfSigned(t, { days: 3 })];
    const chain = fileWith(t, `${later.cert}\n${sooner.cert}`);
    equal(certificatesIn(`${later.cert}\n${sooner.cert}`).length, 2);
    deepEqual(certificateEnds({ managementTlsCert: later.certPath, redisTlsCert: null, redisTlsCa: chain }), [
      ['BRUME_MANAGEMENT_TLS_CERT', endOf(later.cert)],
      ['BRUME_REDIS_TLS_CA', endOf(sooner.cert)],
    ]);
  });

  it('are none of what is no certificate, or not there', (t) => {
    const none = fileWith(t, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const empty = fileWith(t, '');
    deepEqual(
      certificateEnds({ managementTlsCert: none, redisTlsCert: empty, redisTlsCa: '/nowhere/ca.pem' }),
      [],
    );
  });
});

function endOf(cert: string): number {
  return Date.parse(certificatesIn(cert)[0]?.validTo ?? '') / 1000;
}

function fileWith(t: TestContext, text: string): string {
  const path = join(temporaryDirectory(t), 'certificate.pem');
  writeFileSync(path, text);
  return path;
}
