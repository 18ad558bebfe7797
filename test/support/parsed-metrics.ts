import type { ExpositionFormat } from '../../src/telemetry/metrics/exposition.ts';

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** By the series as it is written: `brume_requests_total{plane="data"}`. */
  readonly samples: Map<string, number>;
}

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/y;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** Reads an exposition strictly; throws on what a scraper would refuse: two of a series, a stray line. */
export function parsedMetrics(text: string, format: ExpositionFormat): Map<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily>();
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line feed');
  const lines = text.slice(0, -1).split('\n');
  if (format === 'openmetrics' && lines.pop() !== '# EOF') throw new Error('no EOF');
  let current: ParsedFamily | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, name, help] = /^# HELP (\S+) (.+)$/.exec(line) ?? [];
    if (name !== undefined && help !== undefined) {
      const [, typed, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(lines[++index] ?? '') ?? [];
      if (typed !== name || type === undefined) throw new Error(`no TYPE after HELP of ${name}`);
      if (families.has(name)) throw new Error(`${name} is there twice`);
      current = { name, type, help, samples: new Map() };
      families.set(name, current);
      const unit = /^# UNIT (\S+) (\S+)$/.exec(lines[index + 1] ?? '');
      if (unit === null) continue;
      if (format !== 'openmetrics' || unit[1] !== name || !name.endsWith(`_${unit[2]}`))
        throw new Error(line);
      index++;
      continue;
    }
    addSample(current, line, format);
  }
  return families;
}

function addSample(family: ParsedFamily | undefined, line: string, format: ExpositionFormat): void {
  const [, name, labels, value] = SAMPLE.exec(line) ?? [];
  if (family === undefined || name === undefined || value === undefined) throw new Error(`stray: ${line}`);
  if (!sampleNames(family, format).includes(name)) throw new Error(`${name} is not of ${family.name}`);
  assertLabels(labels);
  const series = labels === undefined ? name : `${name}{${labels}}`;
  if (family.samples.has(series)) throw new Error(`${series} is there twice`);
  family.samples.set(series, value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value));
}

function sampleNames({ name, type }: ParsedFamily, format: ExpositionFormat): string[] {
  if (type === 'histogram') return ['_bucket', '_sum', '_count'].map((suffix) => name + suffix);
  return [type === 'counter' && format === 'openmetrics' ? `${name}_total` : name];
}

function assertLabels(labels: string | undefined): void {
  if (labels === undefined) return;
  LABEL.lastIndex = 0;
  while (LABEL.exec(labels) !== null) {
    const end = LABEL.lastIndex;
    if (end === labels.length) return;
    if (labels[end] !== ',') break;
    LABEL.lastIndex = end + 1;
  }
  throw new Error(`not labels: ${labels}`);
}
