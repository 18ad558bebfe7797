import { choice } from '../kinds/choice.ts';
import { integer } from '../kinds/integer.ts';
import { directory, filePath } from '../kinds/path.ts';
import { redisUrl, redisWord } from '../kinds/redis-url.ts';
import { databaseUrl } from '../kinds/store-url.ts';
import type { Options } from '../option.ts';

export const STORES = {
  BRUME_STATE_DIR: {
    description:
      'Directory of the embedded stores: `brume.sqlite` for the configuration, `counters.sqlite` for the counters.',
    kind: directory(),
    default: '/var/lib/brume',
    example: '/var/lib/brume',
  },
  BRUME_DATABASE_URL: {
    description:
      'PostgreSQL database of projects, keys, namespaces and rules. Without it an embedded SQLite database serves, for one node: a second one on the same Redis refuses to start.',
    kind: databaseUrl(),
    default: null,
    example: 'postgres://brume:secret@db.internal:5432/brume',
    isSecret: true,
  },
  BRUME_DATABASE_LISTEN_URL: {
    description:
      "The same PostgreSQL database on a way where LISTEN works, if BRUME_DATABASE_URL goes through a pooler in transaction mode. Without it Brume listens for changes on BRUME_DATABASE_URL; where they can't be heard, it sees them by polling, within BRUME_PROPAGATION_MS.",
    kind: databaseUrl(),
    default: null,
    example: 'postgres://brume:secret@db.internal:5432/brume',
    isSecret: true,
  },
  BRUME_REDIS_URL: {
    description:
      'Redis of the counters: one server, a Unix socket, the master that Sentinels know, or a cluster (docs/redis.md). Without it embedded counters serve, for one node: a second one on the same PostgreSQL refuses to start.',
    kind: redisUrl(),
    default: null,
    example: 'rediss://redis.internal:6379/0',
    isSecret: true,
  },
  BRUME_REDIS_USERNAME: {
    description:
      'ACL user of Redis, where it does not stand in BRUME_REDIS_URL. Without either it is `default`.',
    kind: redisWord('user'),
    default: null,
    example: 'brume',
  },
  BRUME_REDIS_PASSWORD: {
    description: 'Password of that user, where it does not stand in BRUME_REDIS_URL.',
    kind: redisWord('password'),
    default: null,
    example: 'secret',
    isSecret: true,
  },
  BRUME_REDIS_TLS_CA: {
    description:
      'File with the certificates, in PEM, of those who may have signed the certificate of a Redis by rediss:// or rediss+sentinel://. Without it those that Node.js trusts.',
    kind: filePath(),
    default: null,
    example: '/etc/brume/redis-ca.crt',
  },
  BRUME_REDIS_TLS_CERT: {
    description:
      "File with Brume's own certificate for Redis in PEM, its chain behind it, if Redis asks for one.",
    kind: filePath(),
    default: null,
    example: '/etc/brume/redis.crt',
  },
  BRUME_REDIS_TLS_KEY: {
    description: 'File with the private key of that certificate in PEM, without a passphrase.',
    kind: filePath(),
    default: null,
    example: '/etc/brume/redis.key',
  },
  BRUME_REDIS_SENTINEL_USERNAME: {
    description:
      'ACL user of the Sentinels. User and password of BRUME_REDIS_URL are for the Redis servers only. Without it it is `default`.',
    kind: redisWord('user'),
    default: null,
    example: 'brume',
  },
  BRUME_REDIS_SENTINEL_PASSWORD: {
    description: 'Password of the Sentinels. Without it Brume gives them none.',
    kind: redisWord('password'),
    default: null,
    example: 'secret',
    isSecret: true,
  },
  BRUME_REDIS_SENTINEL_TLS: {
    description:
      'Whether the Sentinels are spoken to by TLS: `same` as the Redis servers, so for rediss+sentinel://, or `on` or `off` for them alone.',
    kind: choice(['same', 'on', 'off']),
    default: 'same',
    example: 'same',
  },
  BRUME_REDIS_TIMEOUT_MS: {
    description:
      "How long a check waits for Redis. After that the namespace's `onStoreFailure` decides, visibly.",
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 10_000 }),
    default: '50',
    example: '50',
  },
  BRUME_SQL_TIMEOUT_MS: {
    description:
      'How long a call to the configuration store may take: getting a connection, its statements and the commit.',
    kind: integer({ unit: 'milliseconds', minimum: 1, maximum: 600_000 }),
    default: '5000',
    example: '5000',
  },
  BRUME_QUOTA_CHECKPOINT_MS: {
    description:
      'How often what was used of quotas is written to the configuration store, from where it is restored if the counters are lost. What was counted in that time before a loss is missing then, and what is counted between the loss and the restoring is not added.',
    kind: integer({ unit: 'milliseconds', minimum: 100, maximum: 60_000 }),
    default: '5000',
    example: '5000',
  },
  BRUME_USAGE_WRITE_MS: {
    description:
      'How often what was counted of the usage of namespaces and keys is added to the configuration store. A crash loses what was counted in that time.',
    kind: integer({ unit: 'milliseconds', minimum: 100, maximum: 600_000 }),
    default: '10000',
    example: '10000',
  },
  BRUME_EMBEDDED_IDENTIFIERS_MAX: {
    description:
      'How many identifiers the embedded counters hold at once. In a full table no living counter is evicted: new identifiers get the `onStoreFailure` of their namespace.',
    kind: integer({ unit: 'identifiers', minimum: 1, maximum: 16_000_000 }),
    default: '1000000',
    example: '1000000',
  },
} as const satisfies Options;
