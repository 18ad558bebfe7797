/**
 * Integer division that stays exact up to 2^53-1: a plain `Math.ceil(a / b)` rounds the quotient
 * before it is cut, and is off by one near large multiples. `%` is exact, and so is the division of
 * what it leaves. lua/prelude.lua has the same two functions.
 */
export function floorDiv(dividend: number, divisor: number): number {
  return (dividend - (dividend % divisor)) / divisor;
}

/** For dividends of 0 and above. */
export function ceilDiv(dividend: number, divisor: number): number {
  const rest = dividend % divisor;
  return (dividend - rest) / divisor + (rest > 0 ? 1 : 0);
}

/** A sum of integers that stays exact: what goes beyond 2^53-1 is cut off. */
export function cappedSum(a: number, b: number): number {
  return b > Number.MAX_SAFE_INTEGER - a ? Number.MAX_SAFE_INTEGER : a + b;
}
