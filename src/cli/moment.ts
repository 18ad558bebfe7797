const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time in the time zone of this machine, with its offset: `2026-10-03T16:05:00+02:00`. */
export function localTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const offsetMinutes = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offsetMinutes * MINUTE_MS).toISOString().slice(0, 19);
  const size = Math.abs(offsetMinutes);
  const offset = `${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${offset}`;
}

/** The same with its distance from now: `2026-10-03T16:05:00+02:00 (in 1 h 59 min)`. */
export function moment(time: string, nowMs: number): string {
  const distanceMs = Date.parse(time) - nowMs;
  if (Number.isNaN(distanceMs)) return time;
  const distance = span(Math.abs(distanceMs));
  return `${localTime(time)} (${distanceMs > 0 ? `in ${distance}` : `${distance} ago`})`;
}

/** The two largest units, rounded down: `3 d 4 h`, `1 h 59 min`, `12 min 30 s`. */
export function span(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  if (durationMs >= DAY_MS)
    return joined(Math.floor(durationMs / DAY_MS), 'd', (durationMs % DAY_MS) / HOUR_MS, 'h');
  if (durationMs >= HOUR_MS)
    return joined(Math.floor(durationMs / HOUR_MS), 'h', (durationMs % HOUR_MS) / MINUTE_MS, 'min');
  return durationMs >= MINUTE_MS
    ? joined(Math.floor(seconds / 60), 'min', seconds % 60, 's')
    : `${seconds} s`;
}

function joined(large: number, largeUnit: string, rest: number, smallUnit: string): string {
  const small = Math.floor(rest);
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
