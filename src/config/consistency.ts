import type { Config } from './config.ts';
import type { ConfigFault } from './config-error.ts';
import { isLoopback } from './kinds/listen-address.ts';
import type { Variable } from './options.ts';

const SENTINEL_VARIABLES = {
  redisSentinelUsername: 'BRUME_REDIS_SENTINEL_USERNAME',
  redisSentinelPassword: 'BRUME_REDIS_SENTINEL_PASSWORD',
} as const;

/** Settings that are right alone and wrong together. Each names the variables it is about. */
const RULES: readonly {
  variables: readonly [Variable, Variable];
  isBroken(config: Config): boolean;
  problem: string;
  remedy: string;
}[] = [
  {
    variables: ['BRUME_LISTEN', 'BRUME_SOCKET'],
    isBroken: ({ listen, socket }) => listen === null && socket === null,
    problem: 'BRUME_LISTEN and BRUME_SOCKET are both off, so that nobody could ask',
    remedy: 'Set at least one of them',
  },
  {
    variables: ['BRUME_SOCKET', 'BRUME_ADMIN_SOCKET'],
    isBroken: ({ socket, adminSocket }) => socket === adminSocket,
    problem: 'it is the same path as BRUME_ADMIN_SOCKET',
    remedy: 'Give the data plane and the management routes a socket each',
  },
  {
    variables: ['BRUME_MANAGEMENT_LISTEN', 'BRUME_MANAGEMENT_TLS_CERT'],
    isBroken: ({ managementListen, managementTlsCert, managementInsecure }) =>
      managementListen !== null &&
      !isLoopback(managementListen.host) &&
      managementTlsCert === null &&
      !managementInsecure,
    problem:
      'others than this machine reach it, and without TLS passwords and tokens would cross the network in clear',
    remedy:
      'Set BRUME_MANAGEMENT_TLS_CERT and BRUME_MANAGEMENT_TLS_KEY, listen on 127.0.0.1 behind a proxy with TLS, or set BRUME_MANAGEMENT_INSECURE=true',
  },
  {
    variables: ['BRUME_MANAGEMENT_TLS_CERT', 'BRUME_MANAGEMENT_TLS_KEY'],
    isBroken: ({ managementTlsCert, managementTlsKey }) =>
      (managementTlsCert === null) !== (managementTlsKey === null),
    problem:
      'BRUME_MANAGEMENT_TLS_CERT and BRUME_MANAGEMENT_TLS_KEY go together, and only one of them is set',
    remedy: 'Set both, or remove the one',
  },
  {
    variables: ['BRUME_DATABASE_LISTEN_URL', 'BRUME_DATABASE_URL'],
    isBroken: ({ databaseListenUrl, databaseUrl }) => databaseListenUrl !== null && databaseUrl === null,
    problem: 'BRUME_DATABASE_URL is not set, and this is only another way to the same database',
    remedy: 'Set BRUME_DATABASE_URL too, or remove this',
  },
  {
    variables: ['BRUME_REDIS_PASSWORD', 'BRUME_REDIS_URL'],
    isBroken: ({ redisPassword, redisUrl }) =>
      redisPassword !== null && redisUrl !== null && /^[^:]+:\/\/[^:@/]*:[^@/]+@/.test(redisUrl),
    problem: 'BRUME_REDIS_URL has a password, too',
    remedy: 'Keep one of them',
  },
  {
    variables: ['BRUME_REDIS_USERNAME', 'BRUME_REDIS_URL'],
    isBroken: ({ redisUsername, redisUrl }) =>
      redisUsername !== null && redisUrl !== null && /^[^:]+:\/\/[^:@/]+(:[^@/]*)?@/.test(redisUrl),
    problem: 'BRUME_REDIS_URL has a user, too',
    remedy: 'Keep one of them',
  },
  {
    variables: ['BRUME_REDIS_TLS_CERT', 'BRUME_REDIS_TLS_KEY'],
    isBroken: ({ redisTlsCert, redisTlsKey }) => (redisTlsCert === null) !== (redisTlsKey === null),
    problem: 'BRUME_REDIS_TLS_CERT and BRUME_REDIS_TLS_KEY go together, and only one of them is set',
    remedy: 'Set both, or remove the one',
  },
  {
    variables: ['BRUME_REDIS_TLS_CA', 'BRUME_REDIS_URL'],
    isBroken: ({ redisTlsCa, redisUrl, redisSentinelTls }) =>
      redisTlsCa !== null && isWithoutTls(redisUrl) && redisSentinelTls !== 'on',
    problem: 'BRUME_REDIS_URL is one without TLS, so that nothing would be encrypted',
    remedy: 'Write rediss:// or rediss+sentinel://, or remove this',
  },
  {
    variables: ['BRUME_REDIS_TLS_CERT', 'BRUME_REDIS_URL'],
    isBroken: ({ redisTlsCert, redisUrl, redisSentinelTls }) =>
      redisTlsCert !== null && isWithoutTls(redisUrl) && redisSentinelTls !== 'on',
    problem: 'BRUME_REDIS_URL is one without TLS, so that nothing would be encrypted',
    remedy: 'Write rediss:// or rediss+sentinel://, or remove this',
  },
  ...(['redisSentinelUsername', 'redisSentinelPassword'] as const).map((setting) => ({
    variables: [SENTINEL_VARIABLES[setting], 'BRUME_REDIS_URL'] as const,
    isBroken: (config: Config) => config[setting] !== null && isWithoutSentinels(config.redisUrl),
    problem: 'BRUME_REDIS_URL names no Sentinels, so that it would be said to nobody',
    remedy: 'Write redis+sentinel:// or rediss+sentinel://, or remove this',
  })),
  {
    variables: ['BRUME_REDIS_SENTINEL_TLS', 'BRUME_REDIS_URL'],
    isBroken: ({ redisSentinelTls, redisUrl }) => redisSentinelTls !== 'same' && isWithoutSentinels(redisUrl),
    problem: 'BRUME_REDIS_URL names no Sentinels, so that it would mean nothing',
    remedy: 'Write redis+sentinel:// or rediss+sentinel://, or remove this',
  },
  {
    variables: ['BRUME_HEADER_TIMEOUT_MS', 'BRUME_REQUEST_TIMEOUT_MS'],
    isBroken: ({ headerTimeoutMs, requestTimeoutMs }) => headerTimeoutMs > requestTimeoutMs,
    problem: 'it is longer than BRUME_REQUEST_TIMEOUT_MS, which includes it',
    remedy: 'Lower it, or raise BRUME_REQUEST_TIMEOUT_MS',
  },
  {
    variables: ['BRUME_OTLP_HEADERS', 'BRUME_OTLP_ENDPOINT'],
    isBroken: ({ otlpHeaders, otlpEndpoint }) => otlpHeaders !== null && otlpEndpoint === null,
    problem: 'BRUME_OTLP_ENDPOINT is not set, so that nothing is sent',
    remedy: 'Set BRUME_OTLP_ENDPOINT too, or remove this',
  },
];

/** Without a URL nothing is said: `brume move` may give one. */
function isWithoutTls(redisUrl: string | null): boolean {
  return redisUrl !== null && !/^rediss[:+]/.test(redisUrl);
}

/** As above. */
function isWithoutSentinels(redisUrl: string | null): boolean {
  return redisUrl !== null && !/^rediss?\+sentinel:/.test(redisUrl);
}

/** The rules that a configuration breaks, without those about variables with a known fault. */
export function inconsistencies(
  config: Config,
  known: readonly ConfigFault[],
  sourceOf: (variable: Variable) => string,
): ConfigFault[] {
  const isKnown = (variable: Variable) => known.some((fault) => fault.variable === variable);
  return RULES.filter((rule) => !rule.variables.some(isKnown) && rule.isBroken(config)).map(
    ({ variables: [variable], problem, remedy }) => ({
      variable,
      where: sourceOf(variable),
      problem,
      remedy,
    }),
  );
}
