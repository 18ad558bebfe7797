import { createSecureContext } from 'node:tls';
import { messageOf } from '../errors/message-of.ts';
import type { Config } from './config.ts';
import { ConfigError, type ConfigFault } from './config-error.ts';
import { readPem } from './pem-file.ts';

/** What is set of a Redis beside its URL; see stores/redis/redis-address.ts. */
export interface ConfiguredRedisAccess {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: RedisPem;
  readonly sentinel: {
    readonly username: string | undefined;
    readonly password: string | undefined;
    readonly tls: 'same' | 'on' | 'off';
  };
}

/** The texts of the files in PEM. */
interface RedisPem {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** @throws ConfigError if a file can't be read, is none, or certificate and key are not each other's. */
export function redisAccess(config: Config): ConfiguredRedisAccess {
  const { redisUsername, redisPassword, redisSentinelUsername, redisSentinelPassword } = config;
  return {
    username: redisUsername ?? undefined,
    password: redisPassword ?? undefined,
    tls: redisPem(config),
    sentinel: {
      username: redisSentinelUsername ?? undefined,
      password: redisSentinelPassword ?? undefined,
      tls: config.redisSentinelTls,
    },
  };
}

function redisPem({ redisTlsCa, redisTlsCert, redisTlsKey }: Config): RedisPem {
  const faults: ConfigFault[] = [];
  const read = (name: 'CA' | 'CERT' | 'KEY', path: string | null) =>
    path === null
      ? undefined
      : readPem({
          variable: `BRUME_REDIS_TLS_${name}`,
          path,
          label: name === 'KEY' ? 'PRIVATE KEY' : 'CERTIFICATE',
          faults,
        });
  const [ca, cert, key] = [read('CA', redisTlsCa), read('CERT', redisTlsCert), read('KEY', redisTlsKey)];
  if (faults.length > 0) throw new ConfigError(faults);
  const pem = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
  try {
    createSecureContext(pem);
  } catch (error) {
    const fault = {
      variable: cert === undefined ? 'BRUME_REDIS_TLS_CA' : 'BRUME_REDIS_TLS_KEY',
      where: (cert === undefined ? redisTlsCa : redisTlsKey) ?? '',
      problem: `what the files hold can't be used together (${messageOf(error)})`,
      remedy: 'Give certificates in PEM, and with a certificate its own key, without a passphrase',
    };
    throw new ConfigError([fault]);
  }
  return pem;
}
