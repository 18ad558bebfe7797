import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { parse } from 'yaml';
import { runbookNames } from '../../src/operations/runbook/runbook.ts';
import { METRICS } from '../../src/telemetry/metrics/declarations.ts';
import { metricFault } from './metric-fault.ts';

const root = join(import.meta.dirname, '..', '..');

interface Position {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: Position;
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

interface Dashboard {
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

/** Others would have to be installed. */
const OF_GRAFANA_ITSELF = ['row', 'stat', 'timeseries'];

const dashboard = JSON.parse(readFileSync(join(root, 'packaging/grafana/brume.json'), 'utf8')) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const folder = mkdtempSync(join(tmpdir(), 'brume-dashboard-'));
after(() => rmSync(folder, { recursive: true }));

describe('the dashboard', () => {
  it('is for Grafana 10 without plugins, and asks for data source and instance', () => {
    ok(dashboard.schemaVersion >= 37 && dashboard.schemaVersion <= 39);
    deepEqual(
      dashboard.templating.list.map(({ name }) => name),
      ['datasource', 'instance'],
    );
    for (const { type, title } of dashboard.panels) ok(OF_GRAFANA_ITSELF.includes(type), title);
    for (const { datasource, targets = [], title } of panels) {
      const uids = [datasource, ...targets.map((target) => target.datasource)].map((each) => each?.uid);
      ok(
        uids.every((uid) => /^\$\{datasource\}$/.test(uid ?? '')),
        title,
      );
    }
  });

  it('goes by metrics and labels that Brume has, and by ratios that the rules record', () => {
    const rules = readFileSync(join(root, 'packaging/prometheus/brume.rules.yml'), 'utf8');
    const { groups } = parse(rules) as { groups: { rules: { record?: string }[] }[] };
    const recorded = groups.flatMap(({ rules: all }) => all.flatMap(({ record }) => record ?? []));
    for (const expression of expressions) {
      equal(metricFault(expression), undefined, expression);
      for (const [name] of expression.matchAll(/\bbrume:[\w:]+/g)) ok(recorded.includes(name), name);
    }
  });

  it('shows all that Brume counts, but for what is of no use there', () => {
    const shown = new Set(expressions.join(' ').match(/\bbrume_\w+/g));
    const isShown = (name: string) => shown.has(name) || shown.has(`${name}_bucket`);
    deepEqual(
      Object.keys(METRICS)
        .filter((name) => name.startsWith('brume_') && !isShown(name))
        .sort(),
      [
        // When what is counted there came last, of single nodes of a Cluster, of caches, and what is told by another one that is shown.
        'brume_change_listener_reconnects_total',
        'brume_counters_loss_timestamp_seconds',
        'brume_embedded_clock_step_timestamp_seconds',
        'brume_key_cache_entries',
        'brume_key_cache_evictions_total',
        'brume_key_cache_misses_total',
        'brume_key_cache_stale_hits_total',
        'brume_key_lookups_in_flight',
        'brume_key_lookups_waiting',
        'brume_redis_clock_step_timestamp_seconds',
        'brume_redis_cluster_map_read_failures_total',
        'brume_redis_cluster_map_reads_total',
        'brume_redis_cluster_node_connected',
        'brume_snapshot_whole_loads_total',
        'brume_state_dir_size_bytes',
        'brume_usage_written_total',
      ],
    );
  });

  it('chooses by job and instance in every expression that has a metric', () => {
    for (const expression of expressions) {
      for (const [, name = '', labels = ''] of expression.matchAll(/\b(brume[_:][\w:]*|up)(\{[^}]*\})?/g)) {
        ok(labels.includes('instance=~"$instance"'), `${name} in ${expression}`);
        equal(labels.includes('job="brume"'), !name.includes(':'), `${name} in ${expression}`);
      }
    }
  });

  it('has expressions that Prometheus takes', () => {
    const file = join(folder, 'rules.yml');
    const rules = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    execFileSync('promtool', ['check', 'rules', file], { stdio: 'pipe' });
  });

  it('has a title, a unit and a description for each panel, which names only runbooks that there are', () => {
    for (const { title, description = '', fieldConfig } of panels) {
      notEqual(title, '');
      ok(description.length > 20, title);
      ok((fieldConfig?.defaults.unit ?? '') !== '', title);
      for (const [, name = ''] of description.matchAll(/runbook (?:is )?([a-z-]+)\./g)) {
        ok(runbookNames().includes(name), `${title}: ${name}`);
      }
    }
    equal(new Set(dashboard.panels.map(({ title }) => title)).size, dashboard.panels.length);
    equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  });

  it('has no two panels in the same place, and none beyond the edge', () => {
    for (const [index, { gridPos: one, title }] of dashboard.panels.entries()) {
      ok(one.x >= 0 && one.x + one.w <= 24, title);
      for (const { gridPos: other, title: otherTitle } of dashboard.panels.slice(index + 1)) {
        ok(!overlap(one, other), `${title} and ${otherTitle}`);
      }
    }
  });
});

function overlap(one: Position, other: Position): boolean {
  const isBeside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const isAbove = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !isBeside && !isAbove;
}
