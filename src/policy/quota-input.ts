import { type Anchor, Calendar, type Period } from '../limiter/calendar.ts';
import type { QuotaLimit } from '../limiter/limit.ts';
import type { AnchorJson, QuotaJson } from './rule-schema.ts';
import { ANCHOR_WORDS, WEEKDAY_WORDS } from './rule-words.ts';
import { badMember } from './schema-fault.ts';

const TIME_ZONE_DEFAULT = 'UTC';

/** Completes and checks one quota's JSON; `at` names it in messages: `rule.quotas[0]`. */
export function parseQuota(
  json: QuotaJson & { readonly name: string },
  at: string,
): Omit<QuotaLimit, 'mode'> {
  const { name, limit, period } = json;
  const anchor = parseAnchor(json.anchor ?? {}, period, `${at}.anchor`);
  const calendar = calendarOf(period, json.timeZone ?? TIME_ZONE_DEFAULT, anchor, `${at}.timeZone`);
  return { name, algorithm: 'quota', limit, calendar, identity: calendar.id };
}

/** What is not said of a quota, as it will be taken. */
export function completeQuota(json: QuotaJson): QuotaJson {
  return { timeZone: TIME_ZONE_DEFAULT, ...json };
}

function parseAnchor(json: AnchorJson, period: Period, at: string): Anchor {
  const allowed = ANCHOR_WORDS[period];
  for (const member of Object.keys(json) as (keyof AnchorJson)[]) {
    if (allowed.includes(member)) continue;
    const instead = allowed.length === 0 ? 'which has no anchor' : `whose anchor takes ${allowed.join(', ')}`;
    throw badMember(`${at}.${member}`, `is not for the period ${period}, ${instead}`);
  }
  const [hours = 0, minutes = 0] = (json.time ?? '00:00').split(':').map(Number);
  return {
    minute: json.minute ?? hours * 60 + minutes,
    weekday: json.weekday === undefined ? 1 : WEEKDAY_WORDS.indexOf(json.weekday) + 1,
    day: json.day ?? 1,
    month: json.month ?? 1,
  };
}

function calendarOf(period: Period, timeZone: string, anchor: Anchor, at: string): Calendar {
  try {
    return new Calendar({ period, timeZone, anchor });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw badMember(at, `must be the name of a time zone, as "Europe/Paris"; "${timeZone}" is none`);
  }
}
