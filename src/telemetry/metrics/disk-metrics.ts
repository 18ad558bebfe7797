import { statfs } from 'node:fs/promises';
import type { MetricsRegistry } from './metrics-registry.ts';

/** The file system on which the state directory is. No lines where it can't be asked. */
export function addDiskMetrics(registry: MetricsRegistry, stateDir: string): void {
  let size: { free: number; all: number } | undefined;
  registry.beforeReading(async () => {
    try {
      const { bavail, bsize, blocks } = await statfs(stateDir);
      size = { free: bavail * bsize, all: blocks * bsize };
    } catch {
      size = undefined;
    }
  });
  registry.reading('brume_state_dir_free_bytes', () => size?.free);
  registry.reading('brume_state_dir_size_bytes', () => size?.all);
}
