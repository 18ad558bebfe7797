import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { BrumeError, type ErrorCode } from '../../errors/catalogue.ts';
import { PROBLEM_MEDIA_TYPE, problemOf } from './problem.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Node's `clientError`: what came was not HTTP, too much, or too slow. Answers and closes. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasAnswerUnderWay(socket)) {
    socket.destroy();
    return;
  }
  const code = CODES[error.code ?? ''] ?? 'bad_request';
  socket.end(clientErrorAnswer(new BrumeError(code)));
  socket.destroySoon();
}

/** A second status line would be taken for a part of the answer that is on its way. */
function hasAnswerUnderWay(socket: Socket): boolean {
  // Node's own handler looks here too; there is no public way to ask.
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, 'headersSent') === true;
}

function clientErrorAnswer(error: BrumeError): string {
  const body = JSON.stringify(problemOf(error));
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    // As every answer has one; what the request said of itself isn't known, or can't be believed.
    `x-request-id: ${randomUUID()}`,
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
