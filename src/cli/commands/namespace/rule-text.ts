import type { Limit, Namespace } from '../../../client/resources.ts';
import { formatDuration, formatTime } from '../../duration.ts';
import { details, table } from '../../table.ts';

/** A namespace for people: what holds for it, then its limits. */
export function namespaceText({ name, id, rule, version, updatedAt }: Namespace): string {
  const { kind = null, ipv6Prefix = null, identifyBy = null, onStoreFailure = null, limits } = rule;
  const head = details([
    ['Name', name],
    ['Id', id],
    ['Kind', kind === 'ip' ? `ip (IPv6 counts by /${ipv6Prefix})` : kind],
    ['Identified by', identifyBy],
    ['On store failure', onStoreFailure],
    ['Version', String(version)],
    ['Updated', formatTime(updatedAt)],
  ]);
  const rows = limits.map((limit) => [
    limit.name ?? 'default',
    limit.algorithm,
    limit.limit,
    formatDuration(limit.windowMs),
    limit.burst ?? null,
  ]);
  return `${head}\n\n${table(['LIMIT', 'ALGORITHM', 'PASS', 'IN', 'BURST'], rows)}`;
}

/** One limit in few words: `10 in 1m (gcra, burst 20)`. */
export function limitText({ algorithm, limit, windowMs, burst }: Limit): string {
  const atOnce = burst === undefined ? '' : `, burst ${burst}`;
  return `${limit} in ${formatDuration(windowMs)} (${algorithm}${atOnce})`;
}
