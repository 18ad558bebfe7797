import type { MetricsRegistry } from './metrics-registry.ts';

/** What turned a request away before it was judged. */
const THROTTLES = ['address', 'actor', 'budget'] as const;
type Throttle = (typeof THROTTLES)[number];

/** Told of a request that was turned away. */
export type CountThrottled = (by: Throttle) => void;

/** Counts them; all of them have a line from the start. */
export function throttleCounts(registry: MetricsRegistry): CountThrottled {
  const family = registry.counter('brume_throttled_requests_total');
  const counts = new Map(THROTTLES.map((by) => [by, family.of(by)]));
  return (by) => counts.get(by)?.add();
}
