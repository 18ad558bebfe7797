import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { planeRoutes } from '../../scripts/docs/plane-routes.ts';
import { findRunbook } from '../../src/operations/runbook/runbook.ts';

/** Of the data plane those that give no verdict: probes, and what is done about one that was given. */
const NO_VERDICT = [
  '/health',
  '/ready',
  '/v1/leases/:id',
  '/v1/reservations/:id',
  '/v1/reservations/:id/commit',
  '/v1/reset',
];

const root = join(import.meta.dirname, '..', '..');

/** By which routes calls are chosen there, where those of the data plane are asked about. */
function chosenIn(text: string): (string | undefined)[] {
  return [...text.matchAll(/brume_request(?:s_total|_duration_seconds_\w+)\{([^}]*)\}/g)]
    .map(([, labels = '']) => labels.replaceAll('\\"', '"'))
    .filter((labels) => labels.includes('plane="data"'))
    .map((labels) => /route=~"([^"]*)"/.exec(labels)?.[1]);
}

describe('what is asked of verdicts', () => {
  const rules = readFileSync(join(root, 'packaging/prometheus/brume.rules.yml'), 'utf8');
  const [chosen = ''] = chosenIn(rules);

  it('is asked of every route that gives one, and of no other', async () => {
    const { data } = await planeRoutes();
    const urls = [...new Set(data.map(({ url }) => url))].filter((url) => url !== '*').sort();
    const pattern = new RegExp(`^(?:${chosen})$`);
    deepEqual(
      urls.filter((url) => !pattern.test(url)),
      NO_VERDICT,
    );
    ok(urls.some((url) => url.startsWith('/v1/auth/')) && urls.includes('/v1/limit'));
  });

  it('is asked of the same routes by rules, dashboard and runbooks', () => {
    const runbooks = ['errors', 'upgrade-and-rollback', 'verdicts-slow'].flatMap(
      (name) => findRunbook(name)?.branches.map(({ condition }) => condition?.text ?? '') ?? [],
    );
    const dashboard = readFileSync(join(root, 'packaging/grafana/brume.json'), 'utf8');
    for (const text of [rules, dashboard, runbooks.join('\n')]) {
      const all = chosenIn(text);
      ok(all.length > 3);
      for (const each of all) equal(each, chosen);
    }
  });
});
