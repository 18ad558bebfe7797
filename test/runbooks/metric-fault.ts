import type { MetricDeclaration } from '../../src/telemetry/metrics/declaration.ts';
import { METRICS } from '../../src/telemetry/metrics/declarations.ts';

/** A metric name, and behind it the labels by which its series are chosen. */
const SELECTOR = /\b(brume_\w+)(?:\{([^}]*)\})?/g;
/** Prometheus' own, and those that the scraping adds. */
const OTHER_LABELS = new Set(['le', 'instance', 'job']);

/** What of an expression Brume does not have; undefined: it has it all. */
export function metricFault(expression: string): string | undefined {
  for (const [, series = '', selectors = ''] of expression.matchAll(SELECTOR)) {
    const declaration = declarationOf(series);
    if (declaration === undefined) return `there is no metric ${series}`;
    for (const [, label = ''] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)) {
      if (!OTHER_LABELS.has(label) && !declaration.labels.includes(label))
        return `${series} has no label ${label}`;
    }
  }
  return undefined;
}

function declarationOf(series: string): MetricDeclaration | undefined {
  const metrics: Readonly<Record<string, MetricDeclaration>> = METRICS;
  const family = series.replace(/_(bucket|sum|count)$/, '');
  const declaration = metrics[series] ?? metrics[family];
  return series !== family && declaration?.type !== 'histogram' ? metrics[series] : declaration;
}
