import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Starvation } from './starvation.ts';

export interface Answer {
  readonly path: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined if empty. */
  readonly body: unknown;
  /** Epoch milliseconds between which it was answered. */
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly elapsedMs: number;
  /** For so long of that the node and this process, one after the other, had no core. */
  readonly starvedMs: number;
}

export interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** An answer that comes later is no answer; far beyond all deadlines. */
const TIMEOUT_MS = 15_000;

/** Asks one node over connections that are kept. */
export class Caller {
  readonly #url: string;
  readonly #key: string;
  readonly #pids: readonly number[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 96 });

  /** `pid`: of the node. */
  constructor(url: string, key: string, pid: number) {
    this.#pids = [pid];
    this.#url = url;
    this.#key = key;
  }

  ask({ method = 'POST', path, headers = {}, body }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sentMs = Date.now();
      const startMs = performance.now();
      const starvation = new Starvation(this.#pids, []);
      const own = { 'x-api-key': this.#key, 'x-brume-key': this.#key };
      const content = body === undefined ? {} : { 'content-type': 'application/json' };
      const call = request(
        `${this.#url}${path}`,
        { method, agent: this.#agent, headers: { ...own, ...content, ...headers }, timeout: TIMEOUT_MS },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          answer.on('error', reject);
          answer.on('end', () => {
            const elapsedMs = performance.now() - startMs;
            const isJson = /json/.test(answer.headers['content-type'] ?? '');
            resolve({
              path,
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              body: isJson ? JSON.parse(text) : undefined,
              sentMs,
              receivedMs: Date.now(),
              elapsedMs,
              starvedMs: starvation.summedMs(),
            });
          });
        },
      );
      call.on('timeout', () => call.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
