import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LISTENER_NAMES, type ListenerName } from '../listener-metrics.ts';
import { headersExcept } from './replayed-request.ts';

/**
 * What a request that is passed on to the next process says of where it came in: `TOKEN LISTENER PEER TLS`.
 * The token is known to the two processes only; the peer is its address, or `-` on a Unix socket; TLS 1 or 0.
 */
export const FORWARDED_HEADER = 'x-brume-hand-over';

export function forwardedHeader(
  { socket }: IncomingMessage,
  { listener, token }: { readonly listener: ListenerName; readonly token: string },
): string {
  const isOverTls = 'encrypted' in socket && socket.encrypted === true;
  return [token, listener, socket.remoteAddress ?? '-', isOverTls ? 1 : 0].join(' ');
}

/**
 * Has a request look as if it had come in there: on a connection of its own, whose peer is the client's.
 * Undefined, and nothing is changed, unless it carries the token.
 */
export function receiveForwarded(request: IncomingMessage, token: string): ListenerName | undefined {
  const header = request.headers[FORWARDED_HEADER];
  const [given = '', name, peer = '-', tls] = typeof header === 'string' ? header.split(' ') : [];
  const listener = LISTENER_NAMES.find((known) => known === name);
  if (!isEqual(given, token) || listener === undefined) return undefined;
  delete request.headers[FORWARDED_HEADER];
  request.rawHeaders = headersExcept(request.rawHeaders, [FORWARDED_HEADER]);
  if (peer !== '-') Object.defineProperty(request.socket, 'remoteAddress', { value: peer });
  if (tls === '1') Object.defineProperty(request.socket, 'encrypted', { value: true });
  return listener;
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
