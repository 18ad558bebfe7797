import { messageOf } from '../errors/message-of.ts';
import { RedisFault } from '../stores/redis/advice/redis-fault.ts';
import { type ProvenRedis, proveRedis } from '../stores/redis/proof/prove-redis.ts';
import { redisWarnings } from '../stores/redis/proof/redis-warnings.ts';
import type { RedisAccess } from '../stores/redis/redis-address.ts';
import { UnfitRedis } from '../stores/redis/unfit-redis.ts';
import { type ProvenPostgres, provePostgres } from '../stores/sql/prove-postgres.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import type { StoreWarning } from '../stores/store-warning.ts';
import { systemTime } from '../stores/system-time.ts';
import { operatorError } from './operator-error.ts';
import type { StoresConfig } from './stores-config.ts';

/** One store that a setting names. */
export interface StoreProof {
  readonly setting: 'BRUME_DATABASE_URL' | 'BRUME_DATABASE_LISTEN_URL' | 'BRUME_REDIS_URL';
  readonly isUsable: boolean;
  /** Why it can't be used; null if it can. */
  readonly fault: string | null;
  /**
   * For programs: `schema` is one that this executable can't work with, `rights` a user that may not count,
   * `refuses` a Redis that lets nobody count now.
   */
  readonly faultCode: 'schema' | 'rights' | 'refuses' | 'unusable' | null;
  /** What to do about that fault; null where nothing is known to help. */
  readonly remedy: string | null;
  readonly warnings: readonly StoreWarning[];
  /** What was seen; null if nothing was. */
  readonly postgres: ProvenPostgres | null;
  readonly redis: ProvenRedis | null;
}

export interface StoresToProve extends StoresConfig {
  readonly databaseListenUrl: string | null;
  /** How long a check waits for Redis. */
  readonly redisTimeoutMs: number;
}

/** Longer than the Sentinels need to be asked in turn. */
const REDIS_TIMEOUT_MS = 5000;

/** Connects to each store that is configured, and looks around. Changes nothing, and never rejects. */
export async function proveStores(
  config: StoresToProve,
  access: RedisAccess,
): Promise<readonly StoreProof[]> {
  const { databaseUrl, databaseListenUrl, redisUrl: url, sqlTimeoutMs: timeoutMs } = config;
  const proofs: Promise<StoreProof>[] = [];
  for (const [setting, place] of [
    ['BRUME_DATABASE_URL', databaseUrl],
    ['BRUME_DATABASE_LISTEN_URL', databaseListenUrl],
  ] as const) {
    if (place === null) continue;
    proofs.push(
      proof(setting, async () => {
        const postgres = await provePostgres({ databaseUrl: place, timeoutMs });
        return { postgres, warnings: postgres.warnings };
      }),
    );
  }
  if (url !== null) {
    proofs.push(
      proof('BRUME_REDIS_URL', async () => {
        const redis = await proveRedis({ url, access, clock: systemTime, timeoutMs: REDIS_TIMEOUT_MS });
        return { redis, warnings: redisWarnings(redis, config.redisTimeoutMs) };
      }),
    );
  }
  return Promise.all(proofs);
}

function faultCodeOf(error: unknown): StoreProof['faultCode'] {
  if (error instanceof SchemaError) return 'schema';
  if (!(error instanceof UnfitRedis)) return 'unusable';
  if (error.code === 'missing_rights') return 'rights';
  return error.code === 'refuses' ? 'refuses' : 'unusable';
}

async function proof(
  setting: StoreProof['setting'],
  look: () => Promise<Partial<StoreProof>>,
): Promise<StoreProof> {
  const nothing = {
    setting,
    fault: null,
    faultCode: null,
    remedy: null,
    warnings: [],
    postgres: null,
    redis: null,
  };
  try {
    return { ...nothing, isUsable: true, ...(await look()) };
  } catch (error) {
    const said =
      error instanceof RedisFault
        ? { fault: error.said, remedy: error.remedy ?? null }
        : { fault: messageOf(operatorError(error)) };
    return { ...nothing, isUsable: false, ...said, faultCode: faultCodeOf(error) };
  }
}
