/** What was read is not what Brume writes. */
export class DamagedError extends Error {
  override readonly name = 'DamagedError';
}

export function listIn(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new DamagedError(`not a list: ${typeof value}`);
  return value;
}

export function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new DamagedError(`not a text: ${typeof value}`);
  return value;
}

/** Times before 1970 aside, nothing that is counted is ever negative. */
export function countIn(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new DamagedError(`not a count: ${String(value)}`);
  return value as number;
}

/** As a count, or -1. */
export function timeIn(value: unknown): number {
  return value === -1 ? -1 : countIn(value);
}

export function flagIn(value: unknown): boolean {
  if (value !== 0 && value !== 1) throw new DamagedError(`not a flag: ${String(value)}`);
  return value === 1;
}
