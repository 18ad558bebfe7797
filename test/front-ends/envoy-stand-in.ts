import { parse } from 'yaml';
import { call, type HttpAnswer } from '../support/http-call.ts';
import { type EndUserRequest, headersOf } from './end-user.ts';

interface Patterns {
  readonly patterns: readonly { readonly exact?: string; readonly prefix?: string }[];
}

interface ExtAuthz {
  readonly allowed_headers: Patterns;
  readonly http_service: {
    readonly path_prefix: string;
    readonly authorization_request: { readonly headers_to_add: readonly { key: string; value: string }[] };
    readonly authorization_response: {
      readonly allowed_client_headers: Patterns;
      readonly allowed_client_headers_on_success: Patterns;
    };
  };
}

export interface Judged {
  readonly isPassed: boolean;
  readonly status: number;
  /** Of Brume's headers those that the end user sees. */
  readonly shown: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Envoy's own address, which it appends to X-Forwarded-For on calls of its own. */
export const ENVOY_ADDRESS = '10.1.2.3';

/**
 * Does what Envoy's ext_authz filter does over HTTP with a connection manager that uses the remote
 * address: the same requests, by its source (ext_authz_http_impl.cc, async_client_impl.cc).
 */
export class EnvoyStandIn {
  readonly #filter: ExtAuthz;
  readonly #brume: string;

  constructor(file: string) {
    const { http_filters, clusters } = parse(file);
    this.#filter = http_filters[0].typed_config;
    const { address, port_value } =
      clusters[0].load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address;
    this.#brume = `http://${address}:${port_value}`;
  }

  async pass(request: EndUserRequest): Promise<Judged> {
    const { allowed_client_headers, allowed_client_headers_on_success } =
      this.#filter.http_service.authorization_response;
    const answer = await this.#ask(request);
    const isPassed = answer.status === 200;
    const shown = isPassed ? allowed_client_headers_on_success : allowed_client_headers;
    return {
      isPassed,
      status: answer.status,
      shown: Object.fromEntries(
        Object.entries(answer.headers)
          .filter(([name]) => matches(name, shown))
          .map(([name, value]) => [name, String(value)]),
      ),
      body: answer.body,
    };
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
    return call(new URL(path_prefix, this.#brume).href + path, {
      method,
      headers: {
        host: 'site',
        ...Object.fromEntries(sent),
        'x-forwarded-for': `${forwardedFor},${ENVOY_ADDRESS}`,
        ...Object.fromEntries(added),
        'content-length': '0',
        'x-envoy-internal': 'true',
        'x-envoy-expected-rq-timeout-ms': '500',
      },
    });
  }
}

function matches(name: string, { patterns }: Patterns): boolean {
  return patterns.some(
    ({ exact, prefix }) => name === exact || (prefix !== undefined && name.startsWith(prefix)),
  );
}
