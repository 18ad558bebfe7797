import { METRICS, type MetricName } from './declarations.ts';
import { type ExpositionFormat, exposition, type MetricSource } from './exposition.ts';
import { Counter, Family, Histogram } from './instruments.ts';
import { labelsText, type Sample } from './sample.ts';

/** Of the metrics that are made here no label comes from outside; this is a bound behind that. */
const COMBINATIONS_MAX = 1000;

/** A number that is read when the metrics are; undefined: there is none now. */
export type Reading = number | undefined;

type NameOf<Type extends string> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** The metrics that this process has, each by its declaration. */
export class MetricsRegistry {
  readonly #sources = new Map<MetricName, () => Iterable<Sample>>();
  readonly #preparations: (() => void | Promise<void>)[] = [];

  /** Names of the metrics that have a source. */
  get names(): readonly MetricName[] {
    return [...this.#sources.keys()];
  }

  counter(name: NameOf<'counter'>): Family<Counter> {
    const family = new Family(METRICS[name].labels, () => new Counter(), COMBINATIONS_MAX);
    this.source(name, () => family.samples());
    return family;
  }

  histogram(name: NameOf<'histogram'>): Family<Histogram> {
    const { labels, buckets } = METRICS[name];
    const family = new Family(labels, () => new Histogram(buckets), COMBINATIONS_MAX);
    this.source(name, () => family.samples());
    return family;
  }

  /** A counter or gauge without labels that something else keeps. */
  reading(name: NameOf<'counter' | 'gauge'>, read: () => Reading): void {
    this.readings(name, () => [[[], read()]]);
  }

  /** The same with labels: their values in the order of the declaration, and the number. */
  readings(
    name: NameOf<'counter' | 'gauge'>,
    read: () => Iterable<readonly [labels: readonly string[], value: Reading]>,
  ): void {
    const { labels: names } = METRICS[name];
    this.source(name, function* () {
      for (const [labels, value] of read()) {
        if (value !== undefined) yield { suffix: '', labels: labelsText(names, labels), value };
      }
    });
  }

  /** A later source takes the place of an earlier one. */
  source(name: MetricName, samples: () => Iterable<Sample>): void {
    this.#sources.set(name, samples);
  }

  /** Done before the metrics are read, for what takes I/O or has to be tidied. */
  beforeReading(work: () => void | Promise<void>): void {
    this.#preparations.push(work);
  }

  /** In the order of the declarations. */
  async text(format: ExpositionFormat): Promise<string> {
    for (const prepare of this.#preparations) await prepare();
    return exposition(this.#all(), format);
  }

  *#all(): Iterable<MetricSource> {
    for (const name of Object.keys(METRICS) as MetricName[]) {
      const samples = this.#sources.get(name);
      if (samples !== undefined) yield { name, declaration: METRICS[name], samples };
    }
  }
}
