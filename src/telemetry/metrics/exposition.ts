import { type MetricDeclaration, unitOf } from './declaration.ts';
import type { Sample } from './sample.ts';

/** A metric and where its numbers come from. */
export interface MetricSource {
  readonly name: string;
  readonly declaration: MetricDeclaration;
  samples(): Iterable<Sample>;
}

/** The text format of Prometheus (0.0.4), and OpenMetrics 1.0. */
export type ExpositionFormat = 'prometheus' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** So many lines take well under a millisecond; then checks have their turn. */
const LINES_AT_ONCE = 250;

/**
 * All metrics as text. Gauges without a sample are left out; of what is counted, and of which nothing has been yet,
 * the head alone says that it is counted here.
 */
export async function exposition(
  sources: Iterable<MetricSource>,
  format: ExpositionFormat,
  nextTurn: () => Promise<void> = immediate,
): Promise<string> {
  const chunks: string[] = [];
  let chunk = '';
  let lines = 0;
  for (const source of sources) {
    const write = lineOf(source, format);
    let isHeadWritten = source.declaration.type !== 'gauge';
    if (isHeadWritten) chunk += headOf(source, format);
    for (const sample of source.samples()) {
      if (!isHeadWritten) chunk += headOf(source, format);
      isHeadWritten = true;
      chunk += write(sample);
      if (++lines % LINES_AT_ONCE > 0) continue;
      chunks.push(chunk);
      chunk = '';
      await nextTurn();
    }
  }
  chunks.push(chunk, format === 'openmetrics' ? '# EOF\n' : '');
  return chunks.join('');
}

function headOf({ name, declaration: { type, help } }: MetricSource, format: ExpositionFormat): string {
  const family = familyName(name, type, format);
  const unit = format === 'openmetrics' ? unitOf(name) : undefined;
  // A unit has to be the end of the family's name.
  const unitLine = unit !== undefined && family.endsWith(unit) ? `# UNIT ${family} ${unit}\n` : '';
  return `# HELP ${family} ${escapedHelp(help, format)}\n# TYPE ${family} ${type}\n${unitLine}`;
}

/** OpenMetrics names a counter without its `_total`, which only the samples carry. */
function familyName(name: string, type: MetricDeclaration['type'], format: ExpositionFormat): string {
  return format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
}

function lineOf({ name }: MetricSource, format: ExpositionFormat): (sample: Sample) => string {
  return ({ suffix, labels, le, value }) => {
    const bound = le === undefined ? '' : `${labels === '' ? '' : ','}le="${boundText(le, format)}"`;
    const inBraces = labels + bound;
    return `${name}${suffix}${inBraces === '' ? '' : `{${inBraces}}`} ${numberText(value)}\n`;
  };
}

/** OpenMetrics wants the canonical form of a float: `1.0`. */
function boundText(le: number, format: ExpositionFormat): string {
  return format === 'openmetrics' && Number.isInteger(le) ? `${le}.0` : numberText(le);
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

function escapedHelp(help: string, format: ExpositionFormat): string {
  const text = help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
  return format === 'openmetrics' ? text.replace(/"/g, '\\"') : text;
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
