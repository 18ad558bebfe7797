import { type MetricDeclaration, unitOf } from '../../src/telemetry/metrics/declaration.ts';
import { METRIC_GROUPS } from '../../src/telemetry/metrics/declarations.ts';

const INTRODUCTION = `<!-- Made by npm run docs out of src/telemetry/metrics/declarations/: change it there. -->

# Metrics

\`GET /metrics\` on the admin socket gives what a node counts, in the text format of Prometheus, or in
OpenMetrics 1.0 if the \`Accept\` header asks for it. Each node has its own; add them up.

\`\`\`sh
curl --unix-socket /run/brume/admin.sock http://brume/metrics
\`\`\`

The management plane has them too, for scrapers: by \`BRUME_METRICS_TOKEN\`, or from the addresses in
\`BRUME_METRICS_ALLOW\` ([management.md](management.md#on-the-management-plane)).

- **Names are stable**: a name or label that is here is not changed or taken away without a word in
  the changelog. New ones come, also new values of labels. Names end in their base unit; counters in
  \`_total\`.
- **What isn't there** has no line: no metrics of Redis without Redis, none of a namespace without
  verdicts. A counter of which nothing has been counted yet has its \`HELP\` and \`TYPE\` alone.
- **Labels are bounded.** At most 500 namespaces have lines of their own, in the order in which their
  first check came; all others are added up under the project and namespace \`other\`. A namespace that
  is deleted frees its place. \`project\` is the project's id. What callers write (paths, identifiers,
  keys, hosts) is never a label.
- **Histograms** have the buckets that are listed, and \`+Inf\`.

Identifiers that come most and are denied most are not metrics: ask for them by the management API, see
[management.md](management.md#the-busiest-identifiers).
`;

/** docs/metrics.md */
export function metricsPage(): string {
  const groups = METRIC_GROUPS.map(({ title, metrics }) => {
    const note = title === "ChronosDB's names" ? [CHRONOSDB, ''] : [];
    return [`## ${title}`, '', ...note, ...Object.entries(metrics).map(metric)].join('\n');
  });
  return [INTRODUCTION, ...groups].join('\n');
}

const CHRONOSDB = `Only with \`BRUME_METRICS_CHRONOSDB_NAMES=true\`, beside those above. At most 500 keys have lines of their
own, the others are \`other\`; the label is the key's public id (\`brume key list\`), never the key.
\`grpc_latency_ms\` has no lines as long as Brume does not speak gRPC.
`;

function metric([name, { type, help, labels, buckets }]: [string, MetricDeclaration]): string {
  const facts = [
    type,
    ...(labels.length === 0 ? [] : [`labels ${labels.map((label) => `\`${label}\``).join(', ')}`]),
    ...(buckets === undefined ? [] : [`buckets ${buckets.join(', ')}${unitText(name)}`]),
  ];
  return `### ${name}\n\n${help}\n\n- ${facts.join('; ')}\n`;
}

function unitText(name: string): string {
  const unit = unitOf(name);
  return unit === undefined ? '' : ` ${unit}`;
}
