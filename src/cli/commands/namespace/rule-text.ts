import type { Limit, Namespace, Quota, Rule } from '../../../client/resources.ts';
import { formatDuration, formatTime } from '../../duration.ts';
import { details, table } from '../../table.ts';
import { quotaName } from './quota-spec.ts';

/** What holds where nothing else is said. */
const ENFORCED = 'enforce';
const ENDLESS = 'never';

/** A namespace for people: what holds for it, then its limits and quotas. */
export function namespaceText({ name, id, rule, version, updatedAt }: Namespace): string {
  const { kind = null, ipv6Prefix = null, identifyBy = null, onStoreFailure = null, mode = ENFORCED } = rule;
  const { limits = [], quotas = [] } = rule;
  const head = details([
    ['Name', name],
    ['Id', id],
    ['Kind', kind === 'ip' ? `ip (IPv6 counts by /${ipv6Prefix})` : kind],
    ['Identified by', identifyBy],
    ['On store failure', onStoreFailure],
    ['Mode', mode],
    ['Version', String(version)],
    ['Updated', formatTime(updatedAt)],
  ]);
  return [head, ...limitTable(limits), ...quotaTable(quotas)].join('\n\n');
}

function limitTable(limits: readonly Limit[]): string[] {
  const rows = limits.map((limit) => [
    limit.name ?? 'default',
    limit.algorithm,
    limit.limit,
    spanText(limit),
    limit.burst ?? null,
    limit.mode ?? ENFORCED,
  ]);
  return rows.length === 0 ? [] : [table(['LIMIT', 'ALGORITHM', 'PASS', 'IN', 'BURST', 'MODE'], rows)];
}

function quotaTable(quotas: readonly Quota[]): string[] {
  const rows = quotas.map((quota) => [
    quotaName(quota),
    quota.limit,
    quota.period,
    quota.timeZone ?? null,
    anchorText(quota) || null,
    quota.mode ?? ENFORCED,
  ]);
  return rows.length === 0 ? [] : [table(['QUOTA', 'PASS', 'PERIOD', 'ZONE', 'BEGINS', 'MODE'], rows)];
}

/** A rule's limits and quotas in few words: `10 in 1m (gcra, burst 20); 500 per day (UTC)`. */
export function ruleText({ limits = [], quotas = [] }: Rule): string {
  return [...limits.map(limitText), ...quotas.map(quotaText)].join('; ');
}

function limitText(spoken: Limit): string {
  const { algorithm, limit, windowMs, burst, mode = ENFORCED } = spoken;
  const notes = [burst === undefined ? '' : `burst ${burst}`, mode === ENFORCED ? '' : mode];
  return windowMs === undefined
    ? `${limit} at once${inBrackets([algorithm, spanText(spoken) ?? '', ...notes])}`
    : `${limit} in ${formatDuration(windowMs)}${inBrackets([algorithm, ...notes])}`;
}

/** The window, or how long a lease is held. */
function spanText({ windowMs, ttlMs }: Limit): string | null {
  if (windowMs !== undefined) return formatDuration(windowMs);
  return ttlMs === undefined ? null : `lease ${formatDuration(ttlMs)}`;
}

function quotaText(quota: Quota): string {
  const { limit, period, timeZone = '', mode = ENFORCED } = quota;
  const other = mode === ENFORCED ? '' : mode;
  if (period === ENDLESS) return `${limit} in all${inBrackets([other])}`;
  return `${limit} per ${period}${inBrackets([timeZone, anchorText(quota), other])}`;
}

/** `day 31, time 02:00` */
function anchorText({ anchor = {} }: Quota): string {
  return Object.entries(anchor)
    .map(([member, value]) => `${member} ${value}`)
    .join(', ');
}

function inBrackets(notes: readonly string[]): string {
  const said = notes.filter((note) => note !== '');
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}
