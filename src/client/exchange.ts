import http from 'node:http';
import https from 'node:https';
import { unexpectedAnswer } from './api-error.ts';
import { ConnectionError, connectionErrorOf } from './connection-error.ts';
import type { Target } from './target.ts';

/** More than this is no answer of Brume. */
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Already encoded: `/v1/projects/shop`. */
  readonly path: string;
  readonly body?: unknown;
  /** Besides those of the target. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  /** The JSON of the body; undefined if there is none or it isn't JSON. */
  readonly body: unknown;
  /** The body as it came. */
  readonly text: string;
}

/**
 * Sends one request and gives its answer, whatever its status. Rejects with a ConnectionError, or with an ApiError
 * where the answer has no end.
 */
export function exchange(target: Target, request: Request, timeoutMs: number): Promise<Answer> {
  const payload = request.body === undefined ? undefined : JSON.stringify(request.body);
  return new Promise((resolve, reject) => {
    const outgoing = open(target, request, payload);
    const fail = (error: Error) => {
      clearTimeout(deadline);
      outgoing.destroy();
      reject(error);
    };
    const deadline = setTimeout(() => fail(new ConnectionError('timeout', target)), timeoutMs);
    outgoing.on('error', (error) => fail(connectionErrorOf(error, target)));
    outgoing.on('response', (incoming) => {
      const parts: Buffer[] = [];
      let size = 0;
      incoming.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size > ANSWER_MAX_BYTES)
          fail(unexpectedAnswer(incoming.statusCode ?? 0, target, 'it has more than 64 MiB'));
      });
      incoming.on('error', (error) => fail(connectionErrorOf(error, target)));
      incoming.on('end', () => {
        clearTimeout(deadline);
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, body: jsonOf(text), text });
      });
    });
    outgoing.end(payload);
  });
}

/** Each exchange has a connection of its own, so that nothing keeps the process alive afterwards. */
function open(target: Target, request: Request, payload: string | undefined): http.ClientRequest {
  const { method, path } = request;
  const headers = {
    accept: 'application/json, application/problem+json',
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    ...target.headers,
    ...request.headers,
  };
  if ('socketPath' in target) {
    return http.request({ socketPath: target.socketPath, method, path, headers, agent: false });
  }
  const { protocol, hostname, port, pathname } = new URL(target.url);
  const { request: send } = protocol === 'https:' ? https : http;
  const host = hostname.replace(/^\[|\]$/g, '');
  return send({ host, port, method, path: pathname.replace(/\/$/, '') + path, headers, agent: false });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
