import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Clock } from '../../limiter/clock.ts';
import type { Logger } from '../../telemetry/log.ts';
import { Seldom } from '../../telemetry/seldom.ts';
import { refuse } from '../host-header.ts';
import { FORWARDED_HEADER, forwardedHeader } from './forwarded-request.ts';
import type { HeldRequest, Taker } from './gate.ts';
import { headersExcept } from './replayed-request.ts';

/** Where the next process takes requests of this one. */
export interface ForwardingPlace {
  /** Of a Unix socket. */
  readonly path: string;
  readonly token: string;
}

/** Of one connection only (RFC 9110, section 7.6.1), or ours to say. */
const REQUEST_HOP = ['connection', 'keep-alive', 'proxy-connection', 'upgrade', FORWARDED_HEADER];
const BODY_HEADERS = ['expect', 'transfer-encoding', 'content-length'];
const ANSWER_HOP = ['connection', 'keep-alive', 'transfer-encoding'];

/** Of others Node announces a body that it hasn't been given yet. */
const BODILESS_METHODS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/**
 * Passes requests on to the next process and gives its answers back as they are. A connection for each: hardly
 * one comes on a connection after the first, whose answer says `Connection: close`.
 */
export function forwarding(
  place: ForwardingPlace,
  { log, clock }: { readonly log: Logger; readonly clock: Clock },
): Taker {
  const seldom = new Seldom(clock);
  return (held) => {
    const { response } = held;
    const fail = (error: unknown): void => {
      seldom.run('forward', (suppressed) =>
        log.error(
          { err: error, suppressed },
          'a request could not be passed on to the process that serves now',
        ),
      );
      if (response.headersSent) response.destroy();
      else refuse(response, new BrumeError('store_unavailable'));
    };
    try {
      passOn(held, place, fail);
    } catch (error) {
      fail(error);
    }
  };
}

function passOn(held: HeldRequest, place: ForwardingPlace, fail: (error: unknown) => void): void {
  const { request, response, body } = held;
  const passed = send({
    socketPath: place.path,
    method: request.method,
    path: request.url,
    headers: passedHeaders(held, place),
    agent: false,
  });
  let isAnswered = false;
  passed.on('continue', () => response.writeContinue());
  passed.on('response', (answer) => {
    isAnswered = true;
    giveBack(answer, response);
  });
  // Once an answer is being given back, its end is that stream's affair.
  passed.on('error', (error) => {
    if (!isAnswered && !response.destroyed) fail(error);
  });
  response.once('close', () => passed.destroy());
  if (body === undefined) {
    request.once('error', () => passed.destroy());
    request.pipe(passed);
  } else passed.end(body);
}

function passedHeaders({ listener, request, body }: HeldRequest, { token }: ForwardingPlace): string[] {
  const { rawHeaders, headers, method = '' } = request;
  const passed = headersExcept(
    rawHeaders,
    body === undefined ? REQUEST_HOP : [...REQUEST_HOP, ...BODY_HEADERS],
  );
  passed.push(FORWARDED_HEADER, forwardedHeader(request, { listener, token }), 'Connection', 'close');
  // HTTP/1.0 may go without, and is passed on as HTTP/1.1.
  if (headers.host === undefined) passed.push('Host', '');
  const isLengthTold = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (body !== undefined) passed.push('Content-Length', String(body.length));
  else if (!isLengthTold && !BODILESS_METHODS.includes(method)) passed.push('Content-Length', '0');
  return passed;
}

function giveBack(answer: IncomingMessage, response: ServerResponse): void {
  // What a plane has set that would have answered here.
  for (const name of response.getHeaderNames()) if (name !== 'connection') response.removeHeader(name);
  response.sendDate = false;
  response.writeHead(
    answer.statusCode ?? 0,
    answer.statusMessage ?? '',
    headersExcept(answer.rawHeaders, ANSWER_HOP),
  );
  answer.once('error', () => response.destroy());
  answer.pipe(response);
}
