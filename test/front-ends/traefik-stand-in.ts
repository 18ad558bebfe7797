import { parse } from 'yaml';
import { call, type HttpAnswer } from '../support/http-call.ts';
import { dropHopByHop, type EndUserRequest, type HeaderValues, headersOf } from './end-user.ts';

interface Middleware {
  readonly chain?: { readonly middlewares: readonly string[] };
  readonly headers?: { readonly customRequestHeaders: Readonly<Record<string, string>> };
  readonly forwardAuth?: {
    readonly address: string;
    readonly trustForwardHeader: boolean;
    readonly authRequestHeaders: readonly string[];
  };
}

export interface Passed {
  /** What Brume answered: Traefik lets 2xx pass, and hands anything else to the end user as it is. */
  readonly answer: HttpAnswer;
  /** What the application would get. */
  readonly upstream: HeaderValues;
}

/**
 * Does what Traefik 3 does with a chain of its middlewares `headers` and `forwardAuth`: the same
 * requests, by its source (pkg/middlewares/auth/forward.go, pkg/middlewares/headers).
 */
export class TraefikStandIn {
  readonly #middlewares: Readonly<Record<string, Middleware>>;

  /** `environment` is for the file provider's templates. */
  constructor(file: string, environment: Readonly<Record<string, string>>) {
    const text = file.replaceAll(/\{\{ env "(\w+)" \}\}/g, (_, name: string) => environment[name] ?? '');
    this.#middlewares = parse(text).http.middlewares;
  }

  async pass(request: EndUserRequest, middleware: string): Promise<Passed> {
    const headers = headersOf(request);
    let answer: HttpAnswer | undefined;
    for (const step of this.#stepsOf(middleware)) {
      for (const [name, value] of Object.entries(step.headers?.customRequestHeaders ?? {})) {
        if (value === '') headers.delete(name.toLowerCase());
        else headers.set(name.toLowerCase(), [value]);
      }
      if (step.forwardAuth !== undefined) {
        answer = await ask(step.forwardAuth, request, headers);
        if (answer.status > 299) break;
      }
    }
    if (answer === undefined) throw new Error(`${middleware} asks nobody`);
    return { answer, upstream: headers };
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
