import type { Counter, Histogram } from './instruments.ts';
import type { MetricsRegistry } from './metrics-registry.ts';

/** Told of an answered request: its route as declared, undefined if it matched none. */
export type CountRequest = (route: string | undefined, status: number, durationMs: number) => void;

interface OfRoute {
  /** By the first digit of the status. */
  readonly counts: Map<number, Counter>;
  readonly durations: Histogram;
}

const UNMATCHED = 'unmatched';

/** Counts requests and takes their time, for each plane and route. */
export function requestMetrics(registry: MetricsRegistry): (plane: string) => CountRequest {
  const counts = registry.counter('brume_requests_total');
  const durations = registry.histogram('brume_request_duration_seconds');

  return (plane) => {
    const routes = new Map<string, OfRoute>();

    return (route = UNMATCHED, status, durationMs) => {
      const ofRoute = routes.get(route) ?? meet(route);
      const statusClass = Math.floor(status / 100);
      const count = ofRoute.counts.get(statusClass) ?? meetStatus(ofRoute, route, statusClass);
      count.add();
      ofRoute.durations.observe(durationMs / 1000);
    };

    function meet(route: string): OfRoute {
      const ofRoute = { counts: new Map<number, Counter>(), durations: durations.of(plane, route) };
      routes.set(route, ofRoute);
      return ofRoute;
    }

    function meetStatus({ counts: ofClass }: OfRoute, route: string, statusClass: number): Counter {
      const count = counts.of(plane, route, `${statusClass}xx`);
      ofClass.set(statusClass, count);
      return count;
    }
  };
}
