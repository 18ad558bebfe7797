import { placeText, type RedisPlace, redisAddressOf } from '../stores/redis/redis-address.ts';
import { placeOf } from './move/place.ts';
import type { StoresConfig } from './stores-config.ts';

/** What is used, and where, as people may read it: without users and passwords. */
export interface StoresPlace {
  readonly configuration: { readonly kind: 'postgresql' | 'sqlite'; readonly place: string };
  readonly counters: { readonly kind: 'redis' | 'embedded'; readonly place: string };
}

export function storesPlace({ databaseUrl, redisUrl, stateDir }: StoresConfig): StoresPlace {
  return {
    configuration:
      databaseUrl === null
        ? { kind: 'sqlite', place: stateDir }
        : { kind: 'postgresql', place: placeOf(databaseUrl) },
    counters:
      redisUrl === null
        ? { kind: 'embedded', place: stateDir }
        : { kind: 'redis', place: redisText(redisAddressOf(redisUrl).place) },
  };
}

/** Where a Redis is, as people may read it: without users and passwords. */
export function redisText(place: RedisPlace): string {
  switch (place.kind) {
    case 'single':
      return placeText(place.server);
    case 'sentinel':
      return `${place.master} by ${place.sentinels.map(placeText).join(', ')}`;
    case 'cluster':
      return place.nodes.map(placeText).join(', ');
  }
}
