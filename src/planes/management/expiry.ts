import { BrumeError } from '../../errors/catalogue.ts';

const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads `expiresAt`: an ISO 8601 time with its offset, or null for a key that does not expire.
 *
 * @throws BrumeError bad_request for anything else, and for a time that is not in the future.
 */
export function parseExpiry(text: string | null | undefined, nowMs: number): number | null {
  if (text === null || text === undefined) return null;
  const day = TIME.exec(text)?.[1];
  const epochMs = day === undefined || !isDay(day) ? Number.NaN : Date.parse(text);
  if (Number.isNaN(epochMs))
    throw refused('must be an ISO 8601 time with its offset, such as 2030-01-31T12:00:00Z');
  if (epochMs <= nowMs) throw refused('must be in the future');
  return epochMs;
}

/** Date.parse takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

function refused(detail: string): BrumeError {
  return new BrumeError('bad_request', { field: 'expiresAt', detail: `expiresAt ${detail}` });
}
