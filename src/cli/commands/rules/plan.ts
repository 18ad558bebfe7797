import type { ApiClient } from '../../../client/api-client.ts';
import type { AppliedRules } from '../../../client/rules.ts';
import { itemOf } from '../../../policy/rules/change-items.ts';
import { changeSummary } from '../../../policy/rules/change-summary.ts';
import { countsEffects } from '../../../policy/rules/counts-effects.ts';
import { rulesDifference } from '../../../policy/rules/rules-difference.ts';
import type { RulesFile } from '../../../policy/rules/rules-file.ts';
import { namingPlaces } from './rules-input.ts';

export interface Planned {
  readonly file: string;
  readonly rules: RulesFile;
  readonly project: string;
  readonly prune: boolean;
  readonly expectedRevision?: number;
}

/** What applying the file would do. */
export function planOf(client: ApiClient, planned: Planned): Promise<AppliedRules> {
  const { file, rules, project, prune, expectedRevision } = planned;
  const options = { prune, ...(expectedRevision !== undefined && { expectedRevision }) };
  return namingPlaces(file, rules, client.rules.diff(project, rules.json, options));
}

/** What applying the file would do to a project that is still to be created: everything is new. */
export function firstPlan({ rules }: Pick<RulesFile, 'rules'>, nowMs: number): AppliedRules {
  const nothing = { namespaces: new Map() };
  const items = rulesDifference(nothing, rules, { prune: false, nowMs }).map((write) => itemOf(write));
  return { revision: 0, summary: changeSummary(items), items, effects: countsEffects(items) };
}

/** A line about entries that count for nothing any more; none if there are none. */
export function expiredLines({ rules }: Pick<RulesFile, 'rules'>, nowMs: number): string[] {
  let count = 0;
  for (const { exceptions } of rules.namespaces.values()) {
    for (const { expiresAtMs } of Object.values(exceptions).flat()) {
      if (expiresAtMs !== null && expiresAtMs <= nowMs) count += 1;
    }
  }
  if (count === 0) return [];
  return [
    count === 1
      ? 'An entry of the file has expired and is as if it were not there.'
      : `${count} entries of the file have expired and are as if they were not there.`,
  ];
}
