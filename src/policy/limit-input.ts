import {
  BUCKET_UNITS_MAX,
  type ConcurrencyLimit,
  isBucket,
  SLIDING_LOG_LIMIT_MAX,
  type WindowAlgorithm,
  type WindowLimit,
} from '../limiter/limit.ts';
import type { LimitJson } from './rule-schema.ts';
import { BUCKET_WORDS } from './rule-words.ts';
import { badMember } from './schema-fault.ts';

/** Completes and checks one limit's JSON; `at` names it in messages: `rule.limits[1]`. */
export function parseLimit(json: Named<LimitJson>, at: string): Omit<WindowLimit | ConcurrencyLimit, 'mode'> {
  return json.algorithm === 'concurrency' ? parsePlaces(json, at) : parseWindow(json, json.algorithm, at);
}

type Named<Json> = Json & { readonly name: string };

function parsePlaces(json: Named<LimitJson>, at: string): Omit<ConcurrencyLimit, 'mode'> {
  const { name, limit, ttlMs, windowMs, burst } = json;
  if (windowMs !== undefined)
    throw badMember(`${at}.windowMs`, 'is not for concurrency, whose leases have a ttlMs');
  if (burst !== undefined)
    throw badMember(`${at}.burst`, `is for ${BUCKET_WORDS.join(', ')}, not for concurrency`);
  if (ttlMs === undefined)
    throw badMember(`${at}.ttlMs`, 'is required for concurrency: how long a lease is held');
  return { name, algorithm: 'concurrency', limit, ttlMs, identity: 0 };
}

function parseWindow(
  json: Named<LimitJson>,
  algorithm: WindowAlgorithm,
  at: string,
): Omit<WindowLimit, 'mode'> {
  const { name, limit, windowMs } = json;
  if (windowMs === undefined) throw badMember(`${at}.windowMs`, 'is required');
  if (json.ttlMs !== undefined) throw badMember(`${at}.ttlMs`, `is for concurrency, not for ${algorithm}`);
  if (algorithm === 'sliding_log' && limit > SLIDING_LOG_LIMIT_MAX) {
    throw badMember(`${at}.limit`, `must be at most ${SLIDING_LOG_LIMIT_MAX} for sliding_log`);
  }
  if (!isBucket(algorithm) && json.burst !== undefined) {
    throw badMember(`${at}.burst`, `is for ${BUCKET_WORDS.join(', ')}, not for ${algorithm}`);
  }
  const burst = json.burst ?? Math.max(limit, 1);
  if (isBucket(algorithm)) assertBucketFits(burst, windowMs, json.burst === undefined, at);
  if (algorithm === 'sliding_window') assertWeightsFit(limit, windowMs, at);
  return { name, algorithm, limit, windowMs, burst, identity: windowMs };
}

/** A bucket's level in units of 1/windowMs has to stay an exact integer. */
function assertBucketFits(burst: number, windowMs: number, isDefault: boolean, at: string): void {
  const burstMax = Math.floor(BUCKET_UNITS_MAX / windowMs);
  if (burst <= burstMax) return;
  const windowMax = Math.floor(BUCKET_UNITS_MAX / burst);
  const orShorter = windowMax >= 1 ? `, or a window of at most ${windowMax} ms` : '';
  throw badMember(
    isDefault ? `${at}.limit` : `${at}.burst`,
    `is too large for its window${isDefault ? ' (burst equals limit when absent)' : ''}: ` +
      `burst × windowMs must be at most ${BUCKET_UNITS_MAX}, so a burst of at most ${burstMax}${orShorter}`,
  );
}

/** The weighted counters of a sliding window are kept in units of 1/windowMs too. */
function assertWeightsFit(limit: number, windowMs: number, at: string): void {
  const limitMax = Math.floor(BUCKET_UNITS_MAX / windowMs);
  if (limit <= limitMax) return;
  throw badMember(
    `${at}.limit`,
    `is too large for a sliding window of ${windowMs} ms: limit × windowMs must be at most ` +
      `${BUCKET_UNITS_MAX}, so a limit of at most ${limitMax}`,
  );
}
