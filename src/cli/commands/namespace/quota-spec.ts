import type { Anchor, Quota } from '../../../client/resources.ts';
import { ANCHOR_WORDS } from '../../../policy/rule-words.ts';
import { present, Spec } from './spec.ts';

const ANCHOR_MEMBERS = [...new Set(Object.values(ANCHOR_WORDS).flat())];
const MEMBERS = ['name', 'limit', 'period', 'zone', ...ANCHOR_MEMBERS, 'mode'];

/** `20000/month` as its first part stands for the limit and the period. */
const SHORT = /^([^=/,]*)\/([^=/,]*)$/;

/** `20000/month`, `20000/month,zone=Europe/Paris,day=31` or `limit=20000,period=month` as a quota. */
export function parseQuotaSpec(text: string): Quota {
  const [first = '', ...others] = text.split(',');
  const [, count, per] = SHORT.exec(first) ?? [];
  const parts = count === undefined ? [first, ...others] : [`limit=${count}`, `period=${per}`, ...others];
  const spec = new Spec('--quota', text, MEMBERS, parts);
  const limit = spec.requiredNumber('limit');
  const period = spec.required('period');
  const anchor: Anchor = present({
    minute: spec.wholeNumber('minute'),
    time: spec.get('time'),
    weekday: spec.get('weekday'),
    day: spec.wholeNumber('day'),
    month: spec.wholeNumber('month'),
  });
  const optional = {
    name: spec.get('name'),
    timeZone: spec.get('zone'),
    anchor: Object.keys(anchor).length === 0 ? undefined : anchor,
    mode: spec.get('mode'),
  };
  return { limit, period, ...present(optional) };
}

/** A quota without a name is called by its period. */
export function quotaName({ name, period }: Quota): string {
  return name ?? period;
}
