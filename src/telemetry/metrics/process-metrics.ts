import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { MetricsRegistry } from './metrics-registry.ts';

const DELAY_INTERVAL_MS = 100;

/** CPU, memory, descriptors and event loop of this process. Returns what stops the watching. */
export function addProcessMetrics(registry: MetricsRegistry, version: string): () => void {
  registry.readings('brume_build_info', () => [[[version, process.versions.node], 1]]);
  registry.reading('brume_process_start_time_seconds', () => performance.timeOrigin / 1000);
  registry.readings('brume_process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage();
    return [
      [['user'], user / 1e6],
      [['system'], system / 1e6],
    ];
  });
  addMemory(registry);
  addDescriptors(registry);
  return addEventLoop(registry);
}

function addMemory(registry: MetricsRegistry): void {
  registry.reading('brume_process_resident_memory_bytes', () => process.memoryUsage.rss());
  registry.readings('brume_process_heap_bytes', () => {
    const { heapUsed, heapTotal } = process.memoryUsage();
    return [
      [['used'], heapUsed],
      [['total'], heapTotal],
    ];
  });
}

function addDescriptors(registry: MetricsRegistry): void {
  let open: number | undefined;
  registry.beforeReading(async () => {
    open = await openDescriptors();
  });
  registry.reading('brume_process_open_fds', () => open);
  const max = maxDescriptors();
  registry.reading('brume_process_max_fds', () => max);
}

/** Undefined where there is no /proc, as is the maximum. */
async function openDescriptors(): Promise<number | undefined> {
  try {
    return (await readdir('/proc/self/fd')).length;
  } catch {
    return undefined;
  }
}

function maxDescriptors(): number | undefined {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** Node's own histogram of delays has to be reset to be of use, which a second reader would not know. */
function addEventLoop(registry: MetricsRegistry): () => void {
  const delays = registry.histogram('brume_event_loop_delay_seconds').of();
  registry.reading(
    'brume_event_loop_active_seconds_total',
    () => performance.eventLoopUtilization().active / 1000,
  );
  let dueMs = performance.now() + DELAY_INTERVAL_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delays.observe(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + DELAY_INTERVAL_MS;
  }, DELAY_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
