import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import type { PlaneServer } from './plane-server.ts';

/** What the metrics call a listener. */
export const LISTENER_NAMES = ['data', 'data-socket', 'admin-socket', 'management'] as const;
export type ListenerName = (typeof LISTENER_NAMES)[number];

/** Of one name there may be several: systemd may listen on several addresses of a plane. */
interface NamedServer {
  readonly name: ListenerName;
  readonly server: Pick<PlaneServer, 'connectionCount' | 'runningCount'>;
}

/** Connections and requests of each listener. */
export function addListenerMetrics(registry: MetricsRegistry, servers: readonly NamedServer[]): void {
  const sums = (countOf: (server: NamedServer['server']) => number) => {
    const byName = new Map<ListenerName, number>();
    for (const { name, server } of servers) byName.set(name, (byName.get(name) ?? 0) + countOf(server));
    return [...byName].map(([name, count]) => [[name], count] as const);
  };
  registry.readings('brume_connections_open', () => sums(({ connectionCount }) => connectionCount));
  registry.readings('brume_requests_in_flight', () => sums(({ runningCount }) => runningCount));
}
