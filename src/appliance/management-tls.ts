import { createSecureContext } from 'node:tls';
import { readBoundedFile } from '../config/bounded-file.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, type ConfigFault } from '../config/config-error.ts';
import type { TlsIdentity } from './plane-server.ts';
import { errorCode, messageOf } from './start-error.ts';

/** More than any chain of certificates has. */
const PEM_BYTES_MAX = 1024 * 1024;

type TlsConfig = Pick<Config, 'managementListen' | 'managementTlsCert' | 'managementTlsKey'>;

/**
 * Certificate and key of the management plane; undefined: it serves plain HTTP, or not at all.
 *
 * @throws ConfigError if they can't be read, are none, or are not each other's.
 */
export function managementTls(config: TlsConfig): TlsIdentity | undefined {
  const { managementListen, managementTlsCert, managementTlsKey } = config;
  if (managementListen === null || managementTlsCert === null || managementTlsKey === null) return undefined;
  const faults: ConfigFault[] = [];
  const cert = readPem({
    variable: 'BRUME_MANAGEMENT_TLS_CERT',
    path: managementTlsCert,
    label: 'CERTIFICATE',
    faults,
  });
  const key = readPem({
    variable: 'BRUME_MANAGEMENT_TLS_KEY',
    path: managementTlsKey,
    label: 'PRIVATE KEY',
    faults,
  });
  if (cert === undefined || key === undefined) throw new ConfigError(faults);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const fault = {
      variable: 'BRUME_MANAGEMENT_TLS_KEY',
      where: managementTlsKey,
      problem: `it can't be used together with BRUME_MANAGEMENT_TLS_CERT, ${managementTlsCert} (${messageOf(error)})`,
      remedy: 'Give a certificate and its own key, without a passphrase',
    };
    throw new ConfigError([fault]);
  }
  return { cert, key };
}

/** Undefined, with a fault more, if there is none to be had. */
function readPem({
  variable,
  path,
  label,
  faults,
}: {
  readonly variable: string;
  readonly path: string;
  readonly label: string;
  readonly faults: ConfigFault[];
}): string | undefined {
  const what = label.toLowerCase();
  const refuse = (problem: string, remedy: string) => {
    faults.push({ variable, where: path, problem, remedy });
    return undefined;
  };
  let text: string;
  try {
    text = readBoundedFile(path, PEM_BYTES_MAX).toString('utf8');
  } catch (error) {
    return refuse(
      `the file can't be read (${errorCode(error) ?? messageOf(error)})`,
      'It must exist, and the user who runs Brume must be able to read it',
    );
  }
  if (text.includes(`${label}-----`)) return text;
  return refuse(
    `the file holds no ${what} in PEM`,
    `Give the ${what} as PEM, which has a line BEGIN ${label}`,
  );
}
