/** One metric, declared once: the registry, docs/metrics.md and their test come from it. */
export interface MetricDeclaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Plain sentences on one line, for whoever looks at the metric. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Of a histogram: upper bounds in the unit of its name, rising; +Inf is added. */
  readonly buckets?: readonly number[];
}

/** Metrics by their name, which ends in the base unit, and for a counter in `_total`. */
export type MetricDeclarations = Readonly<Record<string, MetricDeclaration>>;

/** `brume_store_duration_seconds` is in seconds; undefined for what has no unit. */
export function unitOf(name: string): string | undefined {
  return /_(seconds|bytes)(?:_total)?$/.exec(name)?.[1];
}
