import { BrumeError } from '../../errors/catalogue.ts';
import { parseTime, TIME_WORDS } from '../../policy/time-text.ts';

/**
 * Reads `expiresAt`: an ISO 8601 time with its offset, or null for a key that does not expire.
 *
 * @throws BrumeError bad_request for anything else, and for a time that is not in the future.
 */
export function parseExpiry(text: string | null | undefined, nowMs: number): number | null {
  if (text === null || text === undefined) return null;
  const epochMs = parseTime(text);
  if (epochMs === undefined) throw refused(`must be ${TIME_WORDS}`);
  if (epochMs <= nowMs) throw refused('must be in the future');
  return epochMs;
}

/** As parseExpiry, of what must end within `maxMs`. */
export function parseRequiredExpiry(text: string, nowMs: number, maxMs: number): number {
  const epochMs = parseExpiry(text, nowMs);
  if (epochMs === null || epochMs - nowMs > maxMs) throw refused('must be within a year');
  return epochMs;
}

function refused(detail: string): BrumeError {
  return new BrumeError('bad_request', { field: 'expiresAt', detail: `expiresAt ${detail}` });
}
