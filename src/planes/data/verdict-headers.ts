import type { LimitVerdict, Verdict } from '../../limiter/verdict.ts';

/** Which headers an answer carries; each has a setting. */
export interface HeaderSwitches {
  readonly xRateLimit: boolean;
  readonly rateLimit: boolean;
  readonly retryAfter: boolean;
}

/** The largest integer of a structured field (RFC 9651, section 3.3.1): larger ones are shown as it. */
const FIELD_INTEGER_MAX = 999_999_999_999_999;

/**
 * A verdict as response headers; what is unknown is left out. RateLimit and RateLimit-Policy are
 * draft-ietf-httpapi-ratelimit-headers (the list form, since -08), one item a limit.
 */
export function verdictHeaders(verdict: Verdict, switches: HeaderSwitches): Record<string, string> {
  const headers: Record<string, string> = {};
  if (switches.xRateLimit) setXRateLimit(headers, verdict);
  if (switches.rateLimit && verdict.limits.length > 0) {
    headers.ratelimit = verdict.limits.map(rateLimitItem).join(', ');
    headers['ratelimit-policy'] = verdict.limits.map(policyItem).join(', ');
  }
  if (switches.retryAfter && verdict.retryAfter !== null) headers['retry-after'] = String(verdict.retryAfter);
  if (verdict.degraded) headers['x-brume-ratelimit-degraded'] = 'true';
  return headers;
}

function setXRateLimit(headers: Record<string, string>, { limit, remaining, reset }: Verdict): void {
  if (limit !== null) headers['x-ratelimit-limit'] = String(limit);
  if (remaining !== null) headers['x-ratelimit-remaining'] = String(remaining);
  if (reset !== null) headers['x-ratelimit-reset'] = String(Math.ceil(reset / 1000));
}

function rateLimitItem({ name, remaining, growsAfter }: LimitVerdict): string {
  const item = `"${name}";r=${fieldInteger(remaining)}`;
  return growsAfter === null ? item : `${item};t=${fieldInteger(growsAfter)}`;
}

/** The draft knows no window below a second, and none without an end. */
function policyItem({ name, quota, windowMs }: LimitVerdict): string {
  const item = `"${name}";q=${fieldInteger(quota)}`;
  return windowMs === null || windowMs < 1000 ? item : `${item};w=${Math.ceil(windowMs / 1000)}`;
}

function fieldInteger(value: number): number {
  return Math.min(value, FIELD_INTEGER_MAX);
}
