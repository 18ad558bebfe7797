import { equal, notEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { UNKNOWN_UNITS } from '../../src/operations/installed/unit-states.ts';
import { type Diagnosis, diagnosed } from '../../src/operations/runbook/check-runbook.ts';
import type { Facts } from '../../src/operations/runbook/evaluate.ts';
import { findRunbook, OVER, type Runbook, runbookNames } from '../../src/operations/runbook/runbook.ts';
import { readingsIn } from '../../src/operations/runbook/series.ts';
import { type Case, metricsAt, promtoolCases, seconds } from './promtool-cases.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert?: string; readonly expr: string }[];
  }[];
}

/** Whether they have a reason is seen from outside the node: it doesn't answer, or is compared with others. */
const SEEN_FROM_OUTSIDE = ['BrumeNodeDown', 'BrumeConfigurationsDiffer'];

const rules = parse(
  readFileSync(join(import.meta.dirname, '../../packaging/prometheus/brume.rules.yml'), 'utf8'),
) as Rules;
const expressions = new Map(
  rules.groups.flatMap(({ rules: all }) => all.flatMap(({ alert, expr }) => (alert ? [[alert, expr]] : []))),
);
const cases = promtoolCases();

describe('a runbook, on the node for which its alert fires', () => {
  for (const each of cases) {
    for (const { alertname, eval_time: at, exp_alerts: fired } of each.alert_rule_test) {
      if (fired.length === 0) continue;
      it(`${alertname} (${each.name}, ${at}): knows that there is a reason, and where one is`, () => {
        const instance = fired[0]?.exp_labels.instance ?? 'a:8610';
        const { alert, branch } = diagnosis(runbookOf(alertname), each, { alertname, at, instance });
        equal(alert, SEEN_FROM_OUTSIDE.includes(alertname) ? null : 'holds');
        if (!SEEN_FROM_OUTSIDE.includes(alertname)) ok(branch !== null);
        notEqual(branch?.title, OVER);
      });
    }
  }
});

describe('a runbook, on a healthy node', () => {
  const healthy = cases.find(({ name }) => name === 'a healthy system');
  if (healthy === undefined) throw new Error('there is no healthy system');
  for (const name of runbookNames()) {
    const runbook = findRunbook(name);
    const seen = runbook?.alerts.filter((alert) => !SEEN_FROM_OUTSIDE.includes(alert)) ?? [];
    if (runbook === undefined || seen.length === 0) continue;
    it(`${name} says that it is over, and by which alerts`, () => {
      for (const at of ['30m', '203m', '400m']) {
        for (const alertname of seen) {
          const { alert, branch, steps } = diagnosis(runbook, healthy, { alertname, at, instance: 'a:8610' });
          equal(alert, 'over', at);
          ok(steps.every(({ condition, holds }) => condition !== null || holds === false));
          equal(branch?.title, OVER);
        }
      }
    });

    it(`${name} says what it would have to know, where the figures of its alerts are not there`, () => {
      const { alert, branch, missing, steps } = diagnosed(
        runbook,
        factsOf('', 'brume_build_info 1\n', 5, 1000),
      );
      equal(alert, 'unknown');
      equal(branch, null);
      ok(missing.length > 0);
      ok(steps.every(({ holds }) => holds !== true));
    });
  }
});

interface Moment {
  readonly alertname: string;
  readonly at: string;
  readonly instance: string;
}

/** As if `brume runbook check` had watched for as long as the alert looks back. */
function diagnosis(runbook: Runbook, given: Case, { alertname, at, instance }: Moment): Diagnosis {
  const windows = [...(expressions.get(alertname) ?? '').matchAll(/\[(\w+)\]/g)].map(([, text = '']) =>
    seconds(text),
  );
  const [nowS, betweenS] = [seconds(at), Math.max(300, ...windows)];
  const [before, now] = [nowS - betweenS, nowS].map((atS) => metricsAt(given, atS, instance));
  return diagnosed(runbook, factsOf(before, now, betweenS, nowS));
}

function factsOf(before = '', now = '', betweenS: number, nowS: number): Facts {
  const times = { betweenMs: betweenS * 1000, nowMs: nowS * 1000 };
  const node = { answers: true, isSilent: false, units: UNKNOWN_UNITS, findings: [] };
  return { ...node, before: readingsIn(before), now: readingsIn(now), ...times };
}

function runbookOf(alert: string): Runbook {
  const found = runbookNames()
    .map(findRunbook)
    .find((each) => each?.alerts.includes(alert));
  if (found === undefined) throw new Error(`no runbook names ${alert}`);
  return found;
}
