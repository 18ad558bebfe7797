import { deepEqual, equal, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { findRunbook, runbookNames } from '../../src/operations/runbook/runbook.ts';
import { metricFault } from './metric-fault.ts';
import { promtoolCases, seconds } from './promtool-cases.ts';

const root = join(import.meta.dirname, '..', '..');
const RULES = 'packaging/prometheus/brume.rules.yml';
const TESTS = 'test/runbooks/alerts.promtool.yml';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const rules = read<{ groups: { rules: Rule[] }[] }>(RULES).groups.flatMap(({ rules: all }) => all);
const alerts = rules.flatMap(({ alert, ...rest }) => (alert === undefined ? [] : [{ alert, ...rest }]));

describe('the alerts', () => {
  it('are rules that Prometheus takes, and fire when they must and not on a healthy system', () => {
    execFileSync('promtool', ['check', 'rules', join(root, RULES)], { stdio: 'pipe' });
    execFileSync('promtool', ['test', 'rules', join(root, TESTS)], { stdio: 'pipe' });
  });

  it('are each seen to fire, and not to fire on a healthy system', () => {
    const tests = promtoolCases();
    const names = alerts.map(({ alert }) => alert).sort();
    const cases = tests.flatMap(({ name, alert_rule_test: all }) => all.map((each) => ({ ...each, name })));
    const firing = cases.filter(({ exp_alerts: expected }) => expected.length > 0);
    deepEqual([...new Set(firing.map(({ alertname }) => alertname))].sort(), names);
    const healthy = cases.filter(({ name }) => name === 'a healthy system');
    deepEqual([...new Set(healthy.map(({ alertname }) => alertname))].sort(), names);
    ok(healthy.every(({ exp_alerts: expected }) => expected.length === 0));
  });

  it('look back over less than they wait for, or they would fire by a moment that is over', () => {
    for (const { alert, expr, for: lasting = '0m' } of alerts) {
      const windows = [...expr.matchAll(/\[(\w+)\]/g)].map(([, window = '']) => seconds(window));
      if (seconds(lasting) > 0) ok(Math.max(0, ...windows) < seconds(lasting), alert);
    }
  });

  it('go by metrics and labels that Brume has', () => {
    for (const { alert, record, expr } of rules) equal(metricFault(expr), undefined, alert ?? record);
  });

  it('say how grave they are, and name a runbook that names them', () => {
    for (const { alert, labels, annotations } of alerts) {
      ok(['critical', 'warning'].includes(labels?.severity ?? ''), alert);
      const name = /\/([a-z-]+)\.md$/.exec(annotations?.runbook_url ?? '')?.[1] ?? '';
      equal(annotations?.runbook, `brume runbook show ${name}`, alert);
      ok(findRunbook(name)?.alerts.includes(alert), `${alert} is not in runbooks/${name}.md`);
    }
  });

  it('are all that runbooks name', () => {
    const names = new Set(alerts.map(({ alert }) => alert));
    for (const name of runbookNames()) {
      for (const alert of findRunbook(name)?.alerts ?? []) ok(names.has(alert), `${name}: ${alert}`);
    }
  });
});

function read<T>(path: string): T {
  return parse(readFileSync(join(root, path), 'utf8')) as T;
}
