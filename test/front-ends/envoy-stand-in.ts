import { parse } from 'yaml';
import { call, type HttpAnswer } from '../support/http-call.ts';
import { type EndUserRequest, headersOf } from './end-user.ts';
import { type EndUserView, inTime, type StandIn, shownHeaders } from './stand-in.ts';

interface Patterns {
  readonly patterns: readonly { readonly exact?: string; readonly prefix?: string }[];
}

interface ExtAuthz {
  readonly failure_mode_allow: boolean;
  readonly status_on_error: { readonly code: string };
  readonly allowed_headers: Patterns;
  readonly http_service: {
    readonly server_uri: { readonly timeout: string };
    readonly path_prefix: string;
    readonly authorization_request: { readonly headers_to_add: readonly { key: string; value: string }[] };
    readonly authorization_response: {
      readonly allowed_client_headers: Patterns;
      readonly allowed_client_headers_on_success: Patterns;
    };
  };
}

/** Envoy's own address, which it appends to X-Forwarded-For on calls of its own. */
export const ENVOY_ADDRESS = '10.1.2.3';

/** By envoy.type.v3.StatusCode. */
const STATUS_CODES: Readonly<Record<string, number>> = { Forbidden: 403, ServiceUnavailable: 503 };

/**
 * Does what Envoy's ext_authz filter does over HTTP with a connection manager that uses the remote
 * address: the same requests and answers, by its source (ext_authz.cc, ext_authz_http_impl.cc,
 * async_client_impl.cc).
 */
export class EnvoyStandIn implements StandIn {
  readonly #filter: ExtAuthz;
  readonly #brume: string;
  readonly #timeoutMs: number;

  /** The file's own time-out, unless another is given. */
  constructor(file: string, timeoutMs?: number) {
    const { http_filters, clusters } = parse(file);
    this.#filter = http_filters[0].typed_config;
    const { address, port_value } =
      clusters[0].load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address;
    this.#brume = `http://${address}:${port_value}`;
    this.#timeoutMs = timeoutMs ?? Number.parseFloat(this.#filter.http_service.server_uri.timeout) * 1000;
  }

  async pass(request: EndUserRequest): Promise<EndUserView> {
    const { allowed_client_headers, allowed_client_headers_on_success } =
      this.#filter.http_service.authorization_response;
    const answer = await inTime(this.#ask(request), this.#timeoutMs);
    // Any 5xx is as good as none.
    if (answer === undefined || answer.status >= 500) return this.#unjudged();
    const isPassed = answer.status === 200;
    const shown = isPassed ? allowed_client_headers_on_success : allowed_client_headers;
    return {
      isPassed,
      status: answer.status,
      headers: shownHeaders(answer, (name) => matches(name, shown)),
      body: answer.body,
    };
  }

  #unjudged(): EndUserView {
    const { failure_mode_allow: isPassed, status_on_error } = this.#filter;
    const refusal = STATUS_CODES[status_on_error.code];
    if (refusal === undefined) throw new Error(`unknown status code ${status_on_error.code}`);
    return { isPassed, status: isPassed ? 200 : refusal, headers: {}, body: '' };
  }

  #ask(request: EndUserRequest): Promise<HttpAnswer> {
    const { method = 'GET', path, from } = request;
    const { path_prefix, authorization_request } = this.#filter.http_service;
    const headers = headersOf(request);
    // The connection manager joins lines, and appends the peer; the call's own client appends Envoy.
    const forwardedFor = [...(headers.get('x-forwarded-for') ?? []), from].join(',');
    headers.set('x-forwarded-for', [forwardedFor]);
    const sent = [...headers].filter(
      ([name]) => name === 'authorization' || matches(name, this.#filter.allowed_headers),
    );
    const added = authorization_request.headers_to_add.map(({ key, value }) => [key, value]);
    return call(this.#brume, {
      method,
      path: path_prefix + path,
      headers: {
        host: 'site',
        ...Object.fromEntries(sent),
        'x-forwarded-for': `${forwardedFor},${ENVOY_ADDRESS}`,
        ...Object.fromEntries(added),
        'content-length': '0',
        'x-envoy-internal': 'true',
        'x-envoy-expected-rq-timeout-ms': String(this.#timeoutMs),
      },
    });
  }
}

function matches(name: string, { patterns }: Patterns): boolean {
  return patterns.some(
    ({ exact, prefix }) => name === exact || (prefix !== undefined && name.startsWith(prefix)),
  );
}
