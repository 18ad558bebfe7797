import { iso } from './resource-schemas.ts';

/** The last moment that has an ISO 8601 text, in epoch milliseconds. */
const LAST_MS = 8_640_000_000_000_000;

/** What was there, as everything else here shows times: `createdAt` in ISO 8601 for `createdAtMs`. */
export function withShownTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withShownTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      // Names of namespaces and limits are in lower case: none ends so.
      if (!name.endsWith('AtMs')) return [name, withShownTimes(member)];
      return [name.slice(0, -'Ms'.length), isMoment(member) ? iso(member) : member];
    }),
  );
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= LAST_MS;
}
