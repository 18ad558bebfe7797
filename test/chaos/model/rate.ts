import type { Loss } from './ledger.ts';

/** A limit whose windows pass many times in a run. Milliseconds. */
export type Rate =
  | { readonly kind: 'fixed' | 'any'; readonly limit: number; readonly windowMs: number }
  | { readonly kind: 'bucket'; readonly limit: number; readonly windowMs: number; readonly burst: number };

interface Admission {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/**
 * A stretch of time in which surely more was admitted than may be; undefined if there is none. An admission
 * counts in a stretch only if it was sent and answered in it, and a stretch in which the store may have
 * forgotten something is left out.
 */
export function overAdmission(
  rate: Rate,
  admissions: readonly Admission[],
  losses: readonly Loss[],
): string | undefined {
  const sorted = admissions.toSorted((one, other) => one.sentMs - other.sentMs);
  for (const [index, { sentMs: firstMs }] of sorted.entries()) {
    const beginMs = rate.kind === 'fixed' ? firstMs - (firstMs % rate.windowMs) : firstMs;
    const later = sorted.slice(index).map(({ receivedMs }) => receivedMs);
    const received = later.sort((one, other) => one - other);
    for (const [place, receivedMs] of received.entries()) {
      const endMs = rate.kind === 'bucket' ? receivedMs : beginMs + rate.windowMs - 1;
      if (receivedMs > endMs) break;
      const most = rate.kind === 'bucket' ? drained(rate, receivedMs - firstMs) : rate.limit;
      if (place + 1 <= most) continue;
      if (losses.some(({ fromMs, toMs }) => fromMs <= receivedMs && toMs >= beginMs)) break;
      return `${place + 1} admitted from ${firstMs} to ${receivedMs}, at most ${most} may be`;
    }
  }
  return undefined;
}

/** A millisecond more: both ends are cut to whole ones. */
function drained({ limit, windowMs, burst }: Rate & { kind: 'bucket' }, elapsedMs: number): number {
  return burst + Math.floor((limit * (elapsedMs + 1)) / windowMs);
}
