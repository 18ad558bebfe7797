import { type Kind, quoted } from './kind.ts';

export type Unit =
  | 'milliseconds'
  | 'days'
  | 'bytes'
  | 'bits'
  | 'connections'
  | 'identifiers'
  | 'calls'
  | 'calls a second'
  | 'checks';

const DIGITS = '^(0|[1-9][0-9]*)$';

/**
 * A whole number in plain digits. The pattern stands before the type in the schema, so that Ajv's
 * coercion never turns a blank into 0 or `1e3` into 1000.
 */
export function integer(range: { unit: Unit; minimum: number; maximum: number }): Kind<number> {
  const { unit, minimum, maximum } = range;
  return {
    expected: `a whole number of ${unit} from ${minimum} to ${maximum}`,
    schema: {
      allOf: [
        { type: 'string', pattern: DIGITS },
        { type: 'integer', minimum, maximum },
      ],
    },
    fault: (text) => {
      if (!new RegExp(DIGITS).test(text)) return `${quoted(text)} is not a whole number in plain digits`;
      const number = Number(text);
      return number < minimum || number > maximum ? `${quoted(text)} is out of range` : undefined;
    },
    value: Number,
  };
}
