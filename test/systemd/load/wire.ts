import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Namespace } from './load.ts';
import type { Verdict } from './tally.ts';

const PIECES = 10;

export function checkBody(namespace: Namespace, identifier: string): string {
  return JSON.stringify({ namespace, identifier });
}

/** `POST /v1/limit` as it is sent on a connection that stays open. */
export function apiRequest(key: string, namespace: Namespace, identifier: string): string {
  const body = checkBody(namespace, identifier);
  const head = [
    'POST /v1/limit HTTP/1.1',
    'Host: brume',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return [...head, '', body].join('\r\n');
}

/** Sends a request's head at once and its body in pieces. */
export async function slowly(socket: Socket, request: string, durationMs: number): Promise<void> {
  const bodyAt = request.indexOf('\r\n\r\n') + 4;
  socket.write(request.slice(0, bodyAt));
  const body = request.slice(bodyAt);
  const at = (piece: number) => Math.round((body.length * piece) / PIECES);
  for (let piece = 0; piece < PIECES; piece++) {
    await delay(durationMs / PIECES);
    if (!socket.destroyed) socket.write(body.slice(at(piece), at(piece + 1)));
  }
}

/** What `/v1/limit` answered, or what is wrong with it. */
export function verdictOf(status: number, body: string): Verdict | string {
  if (status !== 200) return `${status} ${body}`;
  const { success, remaining, degraded } = JSON.parse(body);
  return degraded ? `degraded: ${body}` : { isAdmitted: success, remaining };
}
