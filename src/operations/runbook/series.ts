/** One line of the exposition: its labels and its value. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** By the name as it stands in the exposition: `brume_request_duration_seconds_bucket`. */
export type Readings = ReadonlyMap<string, readonly Series[]>;

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' };

/** What a text in the format of Prometheus says; lines that are none of it are left out. */
export function readingsIn(text: string): Readings {
  const readings = new Map<string, Series[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value = ''] = LINE.exec(line) ?? [];
    if (name === undefined) continue;
    const series = { labels: labelsIn(labels), value: numberOf(value) };
    const others = readings.get(name);
    if (others === undefined) readings.set(name, [series]);
    else others.push(series);
  }
  return readings;
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
