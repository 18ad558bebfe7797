import { labelsText, type Sample } from './sample.ts';

/** A number that only rises; one of it stands for one combination of labels. */
export class Counter {
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }

  *samples(labels: string): Iterable<Sample> {
    yield { suffix: '', labels, value: this.value };
  }
}

/** Counts observations up to each of its bounds. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** One a bound, and one for what lies beyond the last. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index++;
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#sum += value;
  }

  *samples(labels: string): Iterable<Sample> {
    let count = 0;
    for (const [index, le] of [...this.#bounds, Number.POSITIVE_INFINITY].entries()) {
      count += this.#counts[index] as number;
      yield { suffix: '_bucket', labels, le, value: count };
    }
    yield { suffix: '_sum', labels, value: this.#sum };
    yield { suffix: '_count', labels, value: count };
  }
}

/** What a metric that is no number by itself is made of: one instrument for each combination of labels. */
export class Family<Instrument extends Counter | Histogram> {
  readonly #labelNames: readonly string[];
  readonly #make: () => Instrument;
  readonly #max: number;
  readonly #instruments = new Map<string, Instrument>();
  readonly #other: string;

  /** Beyond `max` combinations everything new goes to one whose labels are all `other`. */
  constructor(labelNames: readonly string[], make: () => Instrument, max: number) {
    this.#labelNames = labelNames;
    this.#make = make;
    this.#max = max;
    this.#other = labelsText(
      labelNames,
      labelNames.map(() => 'other'),
    );
  }

  /** To be kept by whoever uses it often. */
  of(...labels: readonly string[]): Instrument {
    const text = labelsText(this.#labelNames, labels);
    const known = this.#instruments.get(text);
    if (known !== undefined) return known;
    const isFull = this.#instruments.size >= this.#max;
    const key = isFull ? this.#other : text;
    const instrument = this.#instruments.get(key) ?? this.#make();
    this.#instruments.set(key, instrument);
    return instrument;
  }

  *samples(): Iterable<Sample> {
    for (const [labels, instrument] of this.#instruments) yield* instrument.samples(labels);
  }
}
