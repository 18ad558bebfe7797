import type { IncomingMessage, ServerResponse } from 'node:http';
import { BrumeError } from '../errors/catalogue.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from '../planes/hooks/problem.ts';
import { SECURITY_HEADERS } from '../planes/hooks/security-headers.ts';

/** What HTTP asks of every request: one Host, which only HTTP/1.0 may go without. Undefined: that is so. */
export function hostFault({
  rawHeaders,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): BrumeError | undefined {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count === 1) return undefined;
  if (count > 1) return refusal('There is more than one Host header; send one.');
  const isOldHttp = httpVersionMajor === 1 && httpVersionMinor === 0;
  return isOldHttp ? undefined : refusal('HTTP/1.1 requires a Host header; send one.');
}

function refusal(detail: string): BrumeError {
  return new BrumeError('bad_request', { field: 'Host', detail });
}

/** In place of the plane; whoever calls it sees to the end of the connection. */
export function refuse(response: ServerResponse, error: BrumeError): void {
  const body = JSON.stringify(problemOf(error));
  response.writeHead(error.status, {
    ...SECURITY_HEADERS,
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
