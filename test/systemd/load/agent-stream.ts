import { Agent, type IncomingMessage, request } from 'node:http';
import type { Namespace } from './load.ts';
import type { Asked, Verdict } from './tally.ts';
import { checkBody, verdictOf } from './wire.ts';

export interface HttpTarget {
  /** Or Brume itself. */
  readonly isThroughNginx: boolean;
  /** GET and POST of an application behind the shipped snippet, or a check that Brume itself is asked for. */
  readonly method: 'GET' | 'POST' | 'API';
  /** On connections that are used again, or each request on one of its own. */
  readonly isKept: boolean;
}

const PATIENCE_MS = 60_000;
/** Few enough that each is used long before a server would close it as idle. */
const CONNECTIONS_MAX = 32;

/** A way to ask; each call resolves when its answer, or its fault, was told. */
export function agentStream(
  { method, isKept }: HttpTarget,
  { port, key }: { readonly port: number; readonly key: string },
): (namespace: Namespace, identifier: string, asked: Asked) => Promise<void> {
  const agent = isKept && new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX, scheduling: 'fifo' });
  return (namespace, identifier, asked) => {
    const isApi = method === 'API';
    const body = method === 'GET' ? undefined : checkBody(namespace, identifier);
    return new Promise((resolve) => {
      const failed = (error: Error): void => {
        asked.failed('code' in error ? String(error.code) : error.message);
        resolve();
      };
      const call = request(
        {
          host: '127.0.0.1',
          port,
          agent,
          method: isApi ? 'POST' : method,
          path: isApi ? '/v1/limit' : `/${namespace}/${identifier}`,
          headers: {
            ...(isApi && { 'x-api-key': key }),
            ...(body !== undefined && {
              'content-type': 'application/json',
              'content-length': String(body.length),
            }),
          },
          timeout: PATIENCE_MS,
        },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('error', failed);
          answer.on('end', () => {
            const verdict = isApi ? verdictOf(answer.statusCode ?? 0, text) : verdictOfHeaders(answer);
            if (typeof verdict === 'string') asked.failed(verdict);
            else asked.judged(verdict);
            resolve();
          });
        },
      );
      call.on('timeout', () => call.destroy(new Error('no answer')));
      call.on('error', failed);
      call.end(body);
    });
  };
}

/** What the snippet made of the verdict; one that Brume did not give is a fault. */
function verdictOfHeaders({ statusCode = 0, headers }: IncomingMessage): Verdict | string {
  const remaining = Number(headers['x-ratelimit-remaining']);
  const isJudged = headers['x-brume-ratelimit-degraded'] === undefined && Number.isInteger(remaining);
  if (![200, 429].includes(statusCode) || !isJudged) return `${statusCode} ${JSON.stringify(headers)}`;
  return { isAdmitted: statusCode === 200, remaining };
}
