/** How long each identifier is asked about, and how many of them are at a time. */
const LIFE_SECONDS = 4;
const AT_A_TIME = 4;
/** Of what is asked about an identifier so much would be admitted. */
const LIMIT_SHARE = 0.5;

/**
 * Whose limits the load uses up. A new identifier comes every second, and each is asked about for four, twice as
 * often as its limit allows: so that at any moment of a drill some limits are half used, and some have run out.
 */
export interface Subjects {
  /** Of each of them, in a window that outlasts the drill. */
  readonly limit: number;
  /** How many are asked about at a time. */
  readonly atATime: number;
  /** Checks a second, of all together: each uses its limit up in its time. */
  readonly admittedPerSecond: number;
  readonly identifierAt: (atMs: number) => string;
}

export function subjectsFor(rate: number): Subjects {
  const everyMs = (LIFE_SECONDS / AT_A_TIME) * 1000;
  const limit = Math.max(1, Math.round((rate * LIMIT_SHARE * LIFE_SECONDS) / AT_A_TIME));
  let turn = 0;
  return {
    limit,
    atATime: AT_A_TIME,
    admittedPerSecond: (limit * AT_A_TIME) / LIFE_SECONDS,
    identifierAt: (atMs) => {
      const newest = Math.floor(atMs / everyMs);
      return `caller-${newest - (turn++ % AT_A_TIME)}`;
    },
  };
}
