import { createSecureContext } from 'node:tls';
import type { Config } from '../config/config.ts';
import { ConfigError, type ConfigFault } from '../config/config-error.ts';
import { readPem } from '../config/pem-file.ts';
import { messageOf } from '../errors/message-of.ts';
import type { TlsIdentity } from './plane-server.ts';

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
