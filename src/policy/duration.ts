/** Longest first, so that the longest one that divides a duration is found first. */
const UNITS = [
  { unit: 'd', unitMs: 86_400_000 },
  { unit: 'h', unitMs: 3_600_000 },
  { unit: 'm', unitMs: 60_000 },
  { unit: 's', unitMs: 1000 },
  { unit: 'ms', unitMs: 1 },
] as const;

/** What parseDurationMs takes, but for what is too long to be exact. */
export const DURATION_PATTERN = `^(0|[1-9][0-9]*)(ms|s|m|h|d)$`;

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
