import { type Kind, quoted } from './kind.ts';

const DECIMAL = '^(0|1|0\\.[0-9]{1,9}|1\\.0{1,9})$';

/** A part of a whole, from 0 to 1, in plain decimals. */
export function ratio(): Kind<number> {
  return {
    expected: 'a number from 0 to 1, such as 0.01 for one in a hundred',
    schema: { type: 'string', pattern: DECIMAL },
    fault: (text) =>
      new RegExp(DECIMAL).test(text) ? undefined : `${quoted(text)} is not a number from 0 to 1`,
    value: Number,
  };
}
