import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { BrumeError } from '../../errors/catalogue.ts';
import { bearerToken } from '../hooks/bearer-token.ts';
import { proxyTrust } from '../hooks/proxy-trust.ts';
import { isOwnHost } from './own-host.ts';

export interface MetricsGuardOptions {
  /** Null: there is none. */
  readonly token: string | null;
  /** CIDR blocks whose clients need no token. */
  readonly allow: readonly string[];
  readonly addressOf: (request: FastifyRequest) => string | null;
  /** Where people reach the plane. */
  readonly managementUrl: string;
}

const REFUSAL =
  'The metrics are for addresses in BRUME_METRICS_ALLOW, and for who sends BRUME_METRICS_TOKEN as Authorization: Bearer.';

const REFUSED_HOST =
  'Without BRUME_METRICS_TOKEN the metrics are given under an address, localhost, a name without a dot or the host of BRUME_MANAGEMENT_URL only.';

/**
 * Throws BrumeError `unauthorized` at who has neither the address nor the token. An address is also what a
 * browser has that opened a strange page, whose name may be made to lead here (DNS rebinding): what such a
 * page asks for carries its own name as Host.
 */
export function metricsGuard({
  token,
  allow,
  addressOf,
  managementUrl,
}: MetricsGuardOptions): (request: FastifyRequest) => void {
  const allowed = proxyTrust(allow);
  const wanted = token === null ? undefined : digest(token);
  return (request) => {
    const given = bearerToken(request.raw.rawHeaders);
    // Of equal length, and so compared in constant time.
    if (wanted !== undefined && given !== undefined && timingSafeEqual(digest(given), wanted)) return;
    const address = addressOf(request);
    if (address === null || !allowed.includes(address)) {
      throw new BrumeError('unauthorized', { detail: REFUSAL });
    }
    if (!isOwnHost(request.headers.host, managementUrl)) {
      throw new BrumeError('unauthorized', { field: 'Host', detail: REFUSED_HOST });
    }
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
