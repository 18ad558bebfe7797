const FIRST_MS = 100;
const LONGEST_MS = 5000;

/**
 * How long to wait before an attempt: not at all before the first (0), then twice as long each
 * time, up to 5 s, of which up to a half is left to chance, so that many nodes don't come at once.
 */
export function backOffMs(attempt: number, random: number): number {
  if (attempt === 0) return 0;
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (1 - random / 2);
}
