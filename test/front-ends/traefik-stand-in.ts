import { parse } from 'yaml';
import { call, type HttpAnswer } from '../support/http-call.ts';
import { dropHopByHop, type EndUserRequest, type HeaderValues, headersOf } from './end-user.ts';
import { type EndUserView, inTime, type StandIn, shownHeaders } from './stand-in.ts';

interface Middleware {
  readonly chain?: { readonly middlewares: readonly string[] };
  readonly headers?: { readonly customRequestHeaders: Readonly<Record<string, string>> };
  readonly forwardAuth?: {
    readonly address: string;
    readonly trustForwardHeader: boolean;
    readonly authRequestHeaders: readonly string[];
  };
}

/** By Traefik's source; no setting changes it. */
const TIMEOUT_MS = 30_000;

/** Headers of a connection, which Traefik doesn't hand on (forward.go, hopHeaders). */
const HOP_HEADERS = [
  'connection',
  'keep-alive',
  'te',
  'trailers',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authorization',
];

interface TraefikView extends EndUserView {
  /** The headers with which the request goes on. */
  readonly upstream: HeaderValues;
}

/**
 * Does what Traefik 3 does with a chain of its middlewares `headers` and `forwardAuth`: the same
 * requests and answers, by its source (pkg/middlewares/auth/forward.go, pkg/middlewares/headers).
 */
export class TraefikStandIn implements StandIn {
  readonly #middlewares: Readonly<Record<string, Middleware>>;
  readonly #middleware: string;
  readonly #timeoutMs: number;

  /** A router with that middleware. `environment` is for the file provider's templates. */
  constructor(
    file: string,
    environment: Readonly<Record<string, string>>,
    middleware: string,
    timeoutMs = TIMEOUT_MS,
  ) {
    const text = file.replaceAll(/\{\{ env "(\w+)" \}\}/g, (_, name: string) => environment[name] ?? '');
    this.#middlewares = parse(text).http.middlewares;
    this.#middleware = middleware;
    this.#timeoutMs = timeoutMs;
  }

  async pass(request: EndUserRequest): Promise<TraefikView> {
    const upstream = headersOf(request);
    let isAsked = false;
    for (const { headers, forwardAuth } of this.#stepsOf(this.#middleware)) {
      for (const [name, value] of Object.entries(headers?.customRequestHeaders ?? {})) {
        if (value === '') upstream.delete(name.toLowerCase());
        else upstream.set(name.toLowerCase(), [value]);
      }
      if (forwardAuth === undefined) continue;
      isAsked = true;
      const answer = await inTime(ask(forwardAuth, request, upstream), this.#timeoutMs);
      if (answer === undefined) return { isPassed: false, status: 500, headers: {}, body: '', upstream };
      const { status, body } = answer;
      if (status < 200 || status > 299) {
        const headers = shownHeaders(answer, (name) => !HOP_HEADERS.includes(name));
        return { isPassed: false, status, headers, body, upstream };
      }
    }
    if (!isAsked) throw new Error(`${this.#middleware} asks nobody`);
    // Of an answer that lets it pass the end user sees nothing.
    return { isPassed: true, status: 200, headers: {}, body: '', upstream };
  }

  #stepsOf(name: string): readonly Middleware[] {
    const middleware = this.#middlewares[name];
    if (middleware === undefined) throw new Error(`there is no middleware ${name}`);
    return middleware.chain?.middlewares.flatMap((step) => this.#stepsOf(step)) ?? [middleware];
  }
}

async function ask(
  { address, trustForwardHeader, authRequestHeaders }: NonNullable<Middleware['forwardAuth']>,
  { from, method = 'GET', path }: EndUserRequest,
  headers: HeaderValues,
): Promise<HttpAnswer> {
  if (trustForwardHeader) throw new Error('the client is believed');
  const copied: HeaderValues = new Map(headers);
  dropHopByHop(copied);
  const allowed = authRequestHeaders.map((name) => [name, copied.get(name.toLowerCase())] as const);
  return call(address, {
    headers: {
      'User-Agent': 'Go-http-client/1.1',
      'Accept-Encoding': 'gzip',
      ...Object.fromEntries(allowed.filter(([, values]) => values !== undefined)),
      'X-Forwarded-For': from,
      'X-Forwarded-Method': method,
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Host': 'site',
      'X-Forwarded-Uri': path,
    },
  });
}
