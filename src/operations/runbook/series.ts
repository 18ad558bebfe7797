/** One line of the exposition: its labels and its value. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * By the name as it stands in the exposition: `brume_request_duration_seconds_bucket`. Empty: it is counted, and
 * nothing was yet.
 */
export type Readings = ReadonlyMap<string, readonly Series[]>;

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const TYPE = /^# TYPE (\S+) (\w+)$/;
const HISTOGRAM_SUFFIXES = ['_bucket', '_sum', '_count'];
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/** What a text in the format of Prometheus says; lines that are none of it are left out. */
export function readingsIn(text: string): Readings {
  const readings = new Map<string, Series[]>();
  for (const line of text.split('\n')) {
    for (const name of counterNamesIn(line)) readings.set(name, []);
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const series = { labels: labelsIn(labels), value: numberOf(value) };
    const others = readings.get(name);
    if (others === undefined) readings.set(name, [series]);
    else others.push(series);
  }
  return readings;
}

/** As the series of what is counted are called, where the line is the head of such a metric. */
function counterNamesIn(line: string): string[] {
  const [, name = '', type] = TYPE.exec(line) ?? [];
  if (type === 'histogram') return HISTOGRAM_SUFFIXES.map((suffix) => name + suffix);
  return type === 'counter' ? [name] : [];
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter),
    ]),
  );
}

function numberOf(text: string): number {
  return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
}
