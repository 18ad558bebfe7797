import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import type { PlaneServer } from './plane-server.ts';

/** What the metrics call a listener. */
export type ListenerName = 'data' | 'data-socket' | 'admin-socket' | 'management';

/** Connections and requests of each listener. */
export function addListenerMetrics(
  registry: MetricsRegistry,
  servers: ReadonlyMap<ListenerName, Pick<PlaneServer, 'connectionCount' | 'runningCount'>>,
): void {
  registry.readings('brume_connections_open', () =>
    [...servers].map(([name, server]) => [[name], server.connectionCount] as const),
  );
  registry.readings('brume_requests_in_flight', () =>
    [...servers].map(([name, server]) => [[name], server.runningCount] as const),
  );
}
