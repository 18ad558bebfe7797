import { createHash } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';

export const PERIODS = ['hour', 'day', 'week', 'month', 'year', 'never'] as const;
export type Period = (typeof PERIODS)[number];

/** When a period begins, in the zone's own time. What a period has no use for is 0 or 1. */
export interface Anchor {
  /** Minute of the day, 0 to 1439 (of the hour for `hour`: 0 to 59). */
  readonly minute: number;
  /** 1 Monday to 7 Sunday, for `week`. */
  readonly weekday: number;
  /** Day of the month, 1 to 31, for `month` and `year`; in shorter months their last day. */
  readonly day: number;
  /** 1 to 12, for `year`. */
  readonly month: number;
}

export interface CalendarSpec {
  readonly period: Period;
  /** IANA name, `Europe/Paris`. */
  readonly timeZone: string;
  readonly anchor: Anchor;
}

/** Epoch milliseconds at which the periods around a moment begin: previous, its own, next, the one after. */
export interface Edges {
  readonly previousMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly afterMs: number;
}

/** The end of a period that has none. */
export const ENDLESS_MS = Number.MAX_SAFE_INTEGER;

/** The whole of time as one period. */
const ENDLESS: Edges = { previousMs: 0, startMs: 0, endMs: ENDLESS_MS, afterMs: ENDLESS_MS };

/**
 * The periods of a quota. Each begins at one instant: a local time that a clock change skips means
 * the instant of the change, one that comes twice means its first coming.
 */
export class Calendar {
  readonly spec: CalendarSpec;
  /** Equal for equal specifications, below 2^48: what a stored count is recognised by. */
  readonly id: number;
  #latest: Edges | undefined;

  /** Throws RangeError for a time zone that this system doesn't know. */
  constructor(spec: CalendarSpec) {
    this.spec = spec;
    const { period, timeZone, anchor } = spec;
    const text = [period, timeZone, anchor.minute, anchor.weekday, anchor.day, anchor.month].join('|');
    this.id = createHash('sha256').update(text).digest().readUIntBE(0, 6);
    Temporal.Now.zonedDateTimeISO(timeZone);
  }

  /** Remembers the period asked for last: the arithmetic costs a hundred times a look-up. */
  edgesAt(nowMs: number): Edges {
    const latest = this.#latest;
    if (latest !== undefined && latest.startMs <= nowMs && nowMs < latest.endMs) return latest;
    const edges = this.spec.period === 'never' ? ENDLESS : this.#search(nowMs);
    this.#latest = edges;
    return edges;
  }

  /** Periods are numbered; a guess from the local date is off by one at most, whatever the anchor. */
  #search(nowMs: number): Edges {
    const { timeZone } = this.spec;
    let number = this.#numberNear(Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timeZone));
    while (this.#startOf(number) > nowMs) number--;
    while (this.#startOf(number + 1) <= nowMs) number++;
    const [previousMs, startMs, endMs, afterMs] = [-1, 0, 1, 2].map((step) => this.#startOf(number + step));
    return { previousMs, startMs, endMs, afterMs } as Edges;
  }

  #numberNear(local: Temporal.ZonedDateTime): number {
    switch (this.spec.period) {
      case 'hour':
        return Math.floor(local.epochMilliseconds / HOUR_MS);
      case 'day':
        return daysSinceEpoch(local.toPlainDate());
      case 'week':
        return Math.floor(
          (daysSinceEpoch(local.toPlainDate()) + EPOCH_WEEKDAY - this.spec.anchor.weekday) / 7,
        );
      case 'month':
        return local.year * 12 + local.month - 1;
      default:
        return local.year;
    }
  }

  #startOf(number: number): number {
    const { period, timeZone, anchor } = this.spec;
    if (period === 'hour') return hourStart(number, timeZone, anchor.minute);
    return instantOf(this.#firstDay(number), anchor.minute, timeZone);
  }

  #firstDay(number: number): Temporal.PlainDate {
    const { period, anchor } = this.spec;
    if (period === 'day') return EPOCH.add({ days: number });
    if (period === 'week') return EPOCH.add({ days: number * 7 + anchor.weekday - EPOCH_WEEKDAY });
    const [year, month] =
      period === 'month' ? [Math.floor(number / 12), (number % 12) + 1] : [number, anchor.month];
    return Temporal.PlainDate.from({ year, month, day: anchor.day }, { overflow: 'constrain' });
  }
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const EPOCH = Temporal.PlainDate.from('1970-01-01');
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 4;

function daysSinceEpoch(date: Temporal.PlainDate): number {
  return date.since(EPOCH, { largestUnit: 'days' }).days;
}

function instantOf(date: Temporal.PlainDate, minuteOfDay: number, timeZone: string): number {
  const time = { hour: Math.floor(minuteOfDay / 60), minute: minuteOfDay % 60 };
  const wanted = date.toPlainDateTime(time);
  const first = wanted.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  if (first.toPlainDateTime().equals(wanted)) return first.epochMilliseconds;
  // Skipped by a clock change: `earlier` then lies before it.
  return first.getTimeZoneTransition('next')?.epochMilliseconds ?? first.epochMilliseconds;
}

/** Hours are counted in elapsed time, each beginning at the anchor's minute of the zone's own clock. */
function hourStart(number: number, timeZone: string, minute: number): number {
  const local = Temporal.Instant.fromEpochMilliseconds(number * HOUR_MS).toZonedDateTimeISO(timeZone);
  const minutesPast = (((local.minute - minute) % 60) + 60) % 60;
  return local.epochMilliseconds - minutesPast * MINUTE_MS - local.second * 1000;
}
