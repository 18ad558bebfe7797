import { isDeepStrictEqual } from 'node:util';
import type { Anchor, Rule } from '../../../client/resources.ts';

/** Where a period begins whose anchor does not say so. */
const ANCHOR_DEFAULT: Required<Anchor> = { minute: 0, time: '00:00', weekday: 'monday', day: 1, month: 1 };

/**
 * The names of the limits and quotas that count from zero after a change of their rule, since what
 * they count by has changed (docs/rules.md, "Changing a rule"). Both rules as Brume gives them, with
 * their defaults; a new name is none of these.
 */
export function freshNames(before: Rule, after: Rule): readonly string[] {
  const countedBefore = countedBy(before);
  return [...countedBy(after)]
    .filter(([name, how]) => countedBefore.has(name) && !isDeepStrictEqual(how, countedBefore.get(name)))
    .map(([name]) => name);
}

function countedBy({ limits = [], quotas = [] }: Rule): ReadonlyMap<string, readonly unknown[]> {
  return new Map<string, readonly unknown[]>([
    ...limits.map(
      ({ name = 'default', algorithm, windowMs }) => [name, ['limit', algorithm, windowMs]] as const,
    ),
    ...quotas.map(
      ({ name, period, timeZone, anchor }) =>
        [name ?? period, ['quota', period, timeZone, { ...ANCHOR_DEFAULT, ...anchor }]] as const,
    ),
  ]);
}
