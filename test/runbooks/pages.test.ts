import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { findRunbook, runbookNames } from '../../src/operations/runbook/runbook.ts';
import { codeBlocks, tableRows } from './markdown.ts';

const root = join(import.meta.dirname, '..', '..');

interface Alert {
  readonly alert?: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

describe('the pages about runbooks and alerts', () => {
  it('list every runbook with its alerts', () => {
    const listed = tableRows(read('runbooks/README.md')).slice(1);
    const expected = runbookNames().map((name) => {
      const alerts = findRunbook(name)?.alerts ?? [];
      return [`[${name}](${name}.md)`, alerts.length === 0 ? '–' : alerts.join(', ')];
    });
    deepEqual(listed, expected);
  });

  it('list every alert as the rules have it: how grave, after how long, and its runbook', () => {
    const { groups } = parse(read('packaging/prometheus/brume.rules.yml')) as {
      groups: { rules: Alert[] }[];
    };
    const expected = groups
      .flatMap(({ rules }) => rules)
      .flatMap(({ alert, for: lasting, labels, annotations }) => {
        if (alert === undefined) return [];
        const name = /([a-z-]+)\.md$/.exec(annotations.runbook_url)?.[1];
        const after = lasting === '0m' ? 'at once' : lasting;
        return [[alert, labels.severity, after, `[${name}](../runbooks/${name}.md)`]];
      });
    const rows = tableRows(read('docs/alerts.md')).filter(([alert]) => /^Brume\w+$/.test(alert ?? ''));
    deepEqual(
      rows.map(([alert, severity, after, , runbook]) => [alert, severity, after, runbook]),
      expected,
    );
    ok(rows.every(([, , , when]) => (when ?? '').length > 20));
  });

  it('have configurations that are YAML, and name alerts that there are', () => {
    const rules = read('packaging/prometheus/brume.rules.yml');
    for (const block of codeBlocks(read('docs/alerts.md'), 'yaml')) {
      equal(typeof parse(block), 'object');
      for (const [, names = ''] of block.matchAll(/alertname=~?"([^"]+)"/g)) {
        for (const name of names.split('|')) {
          const pattern = new RegExp(`- alert: ${name}$`, 'm');
          ok(pattern.test(rules), name);
        }
      }
    }
  });

  it('link to files that are there', () => {
    for (const [, target = ''] of read('docs/alerts.md').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      ok(existsSync(join(root, 'docs', target)), target);
    }
  });
});

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
