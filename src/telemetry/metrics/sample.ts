/** One line of an exposition. */
export interface Sample {
  /** Behind the metric's name: empty, or a part of a histogram. */
  readonly suffix: '' | '_bucket' | '_sum' | '_count';
  /** `a="1",b="2"`, made by labelsText(). */
  readonly labels: string;
  /** Of a `_bucket`: its upper bound. */
  readonly le?: number;
  readonly value: number;
}

/** Labels as both formats write them; the values may be any text. */
export function labelsText(names: readonly string[], values: readonly string[]): string {
  if (names.length !== values.length) {
    throw new RangeError(`labels ${names.join(', ')} got ${values.length} values`);
  }
  return names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`).join(',');
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}
