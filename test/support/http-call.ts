import { type IncomingHttpHeaders, request } from 'node:http';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Names and values as they came, in turn: shows repeated headers. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export interface HttpCall {
  readonly method?: string;
  /** A list of values sends the header that many times. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** The loopback address from which to connect: 127.0.0.7 is another client than 127.0.0.1. */
  readonly from?: string;
  /** Goes out as it is written, in place of the URL's. */
  readonly path?: string;
}

/** One request on a connection of its own, with nothing added, followed or retried. */
export function call(url: string, options: HttpCall = {}): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body, from, path } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        headers,
        agent: false,
        ...(from !== undefined && { localAddress: from }),
        ...(path !== undefined && { path }),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            rawHeaders: answer.rawHeaders,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
