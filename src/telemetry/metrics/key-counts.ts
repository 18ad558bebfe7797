import type { MetricsRegistry } from './metrics-registry.ts';
import { PLACES_MAX, Places } from './places.ts';
import { labelsText, type Sample } from './sample.ts';

/** Told of the verdicts that a caller got: by its key's public id, never the key. */
export type CountForKey = (keyId: string, isAllowed: boolean) => void;

const LABELS = ['api_key_id'];

/** ChronosDB's counters by key. Keys beyond 500 are `other`. */
export function chronosdbKeyCounts(registry: MetricsRegistry, max = PLACES_MAX): CountForKey {
  const places = new Places(() => ({ allowed: 0, denied: 0 }), max);

  function* samples(decision: 'allowed' | 'denied'): Iterable<Sample> {
    for (const [keyId = 'other', counts] of places.entries()) {
      yield { suffix: '', labels: labelsText(LABELS, [keyId]), value: counts[decision] };
    }
  }

  registry.source('requests_allowed_total', () => samples('allowed'));
  registry.source('requests_denied_total', () => samples('denied'));
  return (keyId, isAllowed) => {
    const counts = places.of(keyId);
    if (isAllowed) counts.allowed++;
    else counts.denied++;
  };
}
