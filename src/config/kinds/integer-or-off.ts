import { integer, type Unit } from './integer.ts';
import type { Kind } from './kind.ts';

const OFF: readonly string[] = ['off', '0'];

/** A whole number, or `off`, which becomes null; 0 is understood as `off`. */
export function integerOrOff(range: { unit: Unit; minimum: number; maximum: number }): Kind<number | null> {
  const number = integer(range);
  return {
    expected: `${number.expected}, or off`,
    schema: { type: 'string', format: `brume-integer-${range.minimum}-to-${range.maximum}-or-off` },
    fault: (text) => (OFF.includes(text) ? undefined : number.fault(text)),
    value: (checked) => (OFF.includes(String(checked)) ? null : Number(checked)),
  };
}
