/** Longest first, so that the longest one that divides a duration is found first. */
const UNITS = [
  { unit: 'd', unitMs: 86_400_000 },
  { unit: 'h', unitMs: 3_600_000 },
  { unit: 'm', unitMs: 60_000 },
  { unit: 's', unitMs: 1000 },
  { unit: 'ms', unitMs: 1 },
] as const;

export const DURATION_EXPECTED = 'Expected a duration such as 500ms, 60s, 5m, 1h or 1d.';

/** `60s` → 60000; undefined if it isn't a duration, or too long to be exact. */
export function parseDurationMs(text: string): number | undefined {
  const [, digits, unit] = /^(0|[1-9][0-9]*)([a-z]+)$/.exec(text) ?? [];
  const unitMs = UNITS.find((known) => known.unit === unit)?.unitMs;
  if (digits === undefined || unitMs === undefined) return undefined;
  const durationMs = Number(digits) * unitMs;
  return Number.isSafeInteger(durationMs) ? durationMs : undefined;
}

/** 60000 → `1m`, 90000 → `90s`: in the longest unit that is exact. */
export function formatDuration(durationMs: number): string {
  const { unit, unitMs } = UNITS.find((known) => durationMs % known.unitMs === 0) ?? UNITS[4];
  return `${durationMs / unitMs}${unit}`;
}

/** `2026-11-29T21:53:04.123Z` → `2026-11-29 21:53:04Z`; null stays. */
export function formatTime(time: string | number | null): string | null {
  if (time === null) return null;
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}
