import type { CheckName, Finding } from '../../src/operations/doctor/finding.ts';
import type { Facts } from '../../src/operations/runbook/evaluate.ts';
import { readingsIn } from '../../src/operations/runbook/series.ts';

/** What a node says that nobody has started: the text of its metrics at two moments. */
export interface MadeUpNode {
  readonly before: string;
  readonly now: string;
  readonly betweenMs: number;
  readonly nowMs: number;
  readonly findings?: readonly Finding[];
}

export function factsOf({ before, now, findings = [], ...times }: MadeUpNode): Facts {
  return { answers: true, before: readingsIn(before), now: readingsIn(now), findings, ...times };
}

export function finding(check: CheckName, state: Finding['state']): Finding {
  return { check, state, text: 'Words.', remedy: null };
}
