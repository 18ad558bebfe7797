import type { MetricDeclarations } from '../declaration.ts';

export const KEY_CACHE = {
  brume_key_cache_entries: {
    type: 'gauge',
    help: 'Keys in the cache of API keys, by kind: known, or unknown for those that are remembered as not existing.',
    labels: ['kind'],
  },
  brume_key_cache_hits_total: {
    type: 'counter',
    help: 'Keys that the cache answered for.',
    labels: [],
  },
  brume_key_cache_misses_total: {
    type: 'counter',
    help: 'Keys that had to be looked up in the configuration store.',
    labels: [],
  },
  brume_key_cache_stale_hits_total: {
    type: 'counter',
    help: 'Of the hits, keys that were served past their time, since the configuration store was away.',
    labels: [],
  },
  brume_key_cache_evictions_total: {
    type: 'counter',
    help: 'Known keys that gave way to others since the cache was full.',
    labels: [],
  },
  brume_key_lookups_total: {
    type: 'counter',
    help: 'Keys that were asked for in the configuration store; those who wait for the same key share a lookup.',
    labels: [],
  },
  brume_key_lookup_failures_total: {
    type: 'counter',
    help: 'Misses for which no answer came in BRUME_KEY_LOOKUP_TIMEOUT_MS.',
    labels: [],
  },
  brume_key_lookups_in_flight: {
    type: 'gauge',
    help: 'Keys that are being looked up in the configuration store.',
    labels: [],
  },
  brume_key_lookups_waiting: {
    type: 'gauge',
    help: 'Lookups of keys that wait for others to end.',
    labels: [],
  },
} as const satisfies MetricDeclarations;
