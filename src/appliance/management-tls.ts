import { createSecureContext } from 'node:tls';
import { readBoundedFile } from '../config/bounded-file.ts';
import type { Config } from '../config/config.ts';
import type { TlsIdentity } from './plane-server.ts';
import { errorCode, messageOf, StartError } from './start-error.ts';

/** More than any chain of certificates has. */
const PEM_BYTES_MAX = 1024 * 1024;

type TlsConfig = Pick<Config, 'managementTlsCert' | 'managementTlsKey'>;

/**
 * Certificate and key of the management plane; undefined: it serves plain HTTP.
 *
 * @throws StartError if they can't be read, are none, or are not each other's.
 */
export function managementTls({ managementTlsCert, managementTlsKey }: TlsConfig): TlsIdentity | undefined {
  if (managementTlsCert === null || managementTlsKey === null) return undefined;
  const cert = readPem('BRUME_MANAGEMENT_TLS_CERT', managementTlsCert, 'CERTIFICATE');
  const key = readPem('BRUME_MANAGEMENT_TLS_KEY', managementTlsKey, 'PRIVATE KEY');
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const what = `${managementTlsCert} and ${managementTlsKey} can't be used together`;
    throw new StartError(
      `BRUME_MANAGEMENT_TLS_CERT, BRUME_MANAGEMENT_TLS_KEY: ${what} (${messageOf(error)}): give a certificate and its own key, without a passphrase`,
      { cause: error },
    );
  }
  return { cert, key };
}

function readPem(variable: string, path: string, label: string): string {
  let text: string;
  try {
    text = readBoundedFile(path, PEM_BYTES_MAX).toString('utf8');
  } catch (error) {
    throw new StartError(
      `${variable}: ${path} can't be read (${errorCode(error)}): it must exist, and the user who runs Brume must be able to read it`,
      { cause: error },
    );
  }
  if (!text.includes(`${label}-----`)) {
    throw new StartError(`${variable}: ${path} holds no ${label.toLowerCase()} in PEM`);
  }
  return text;
}
