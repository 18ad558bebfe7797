import type { MetricDeclarations } from '../declaration.ts';

export const CACHES = {
  brume_cache_entries: {
    type: 'gauge',
    help: 'Entries in a cache: keys are API keys that were found, unknown_keys those that do not exist.',
    labels: ['cache'],
  },
  brume_cache_entries_max: { type: 'gauge', help: 'The most entries a cache holds.', labels: ['cache'] },
  brume_cache_hits_total: {
    type: 'counter',
    help: 'Lookups that a cache answered.',
    labels: ['cache'],
  },
  brume_cache_misses_total: {
    type: 'counter',
    help: 'Lookups that a cache could not answer.',
    labels: ['cache'],
  },
  brume_cache_evictions_total: {
    type: 'counter',
    help: 'Entries that gave way to newer ones since a cache was full.',
    labels: ['cache'],
  },
  brume_key_lookups_in_flight: {
    type: 'gauge',
    help: 'API keys that are being looked up in the configuration store.',
    labels: [],
  },
} as const satisfies MetricDeclarations;
