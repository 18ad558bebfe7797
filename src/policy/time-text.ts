const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:\d{2})$/;

/** What a time must be, behind "must be". */
export const TIME_WORDS = 'an ISO 8601 time with its offset, such as 2030-01-31T12:00:00Z';

/** Epoch milliseconds of an ISO 8601 time with its offset; undefined for anything else. */
export function parseTime(text: string): number | undefined {
  const day = TIME.exec(text)?.[1];
  if (day === undefined || !isDay(day)) return undefined;
  const epochMs = Date.parse(text);
  return Number.isNaN(epochMs) ? undefined : epochMs;
}

/** Date.parse takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}
