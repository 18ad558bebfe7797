import { Agent, request } from 'node:http';
import { createTenant } from '../../support/admin-socket.ts';
import type { SharedSockets } from '../../support/shared-sockets.ts';

/** What came of a call: its status and JSON; or why there was no answer. */
export interface Ended {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface CallOptions {
  readonly agent?: Agent | false;
  readonly socketPath?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls on kept-alive connections unless told otherwise; rejects if a connection breaks. */
export class Caller {
  readonly #shared: SharedSockets;
  readonly #key: string;

  private constructor(shared: SharedSockets, key: string) {
    this.#shared = shared;
    this.#key = key;
  }

  /** With a project, and namespaces of one limit an hour each: `{ login: 5 }`. */
  static async of(shared: SharedSockets, limits: Readonly<Record<string, number>>): Promise<Caller> {
    const rules = Object.entries(limits).map(([name, limit]) => [
      name,
      { limits: [{ algorithm: 'fixed_window', limit, windowMs: 366 * 86_400_000 }] },
    ]);
    return new Caller(shared, await createTenant(shared.adminPath, 'shop', Object.fromEntries(rules)));
  }

  get key(): string {
    return this.#key;
  }

  check(namespace: string, identifier: string, options: CallOptions = {}): Promise<Ended> {
    return this.ask('POST', '/v1/limit', { namespace, identifier }, options);
  }

  async used(namespace: string, identifier: string): Promise<number> {
    const { body } = await this.ask('POST', '/v1/peek', { namespace, identifier }, { agent: false });
    return Number(body.limit) - Number(body.remaining);
  }

  ask(method: string, path: string, body: object | undefined, options: CallOptions = {}): Promise<Ended> {
    const { agent = false, socketPath, headers = {} } = options;
    const { hostname, port } = new URL(this.#shared.url);
    return new Promise((resolve, reject) => {
      const call = request(
        {
          ...(socketPath === undefined ? { hostname, port } : { socketPath }),
          method,
          path,
          agent,
          headers: { 'x-api-key': this.#key, 'content-type': 'application/json', ...headers },
        },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk) => {
            text += chunk;
          });
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, body: text === '' ? {} : JSON.parse(text) }),
          );
        },
      );
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function keptAlive(connectionsMax: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: connectionsMax });
}

export interface Load {
  /** Ends it; resolves with how many calls were admitted, by identifier, and what else came of calls. */
  stop(): Promise<{ readonly admitted: ReadonlyMap<string, number>; readonly faults: readonly string[] }>;
  /** So many calls have been answered. */
  readonly answered: () => number;
}

/** So many callers who ask again as soon as they have an answer, each time for the identifier that is due. */
export function startLoad(
  caller: Caller,
  { callers, namespace, identifier }: { callers: number; namespace: string; identifier: () => string },
): Load {
  const agent = keptAlive(callers);
  const admitted = new Map<string, number>();
  const faults: string[] = [];
  let [isOver, answered] = [false, 0];
  const asking = Array.from({ length: callers }, async () => {
    while (!isOver) {
      const asked = identifier();
      try {
        const { status, body } = await caller.check(namespace, asked, { agent });
        if (status !== 200 || body.degraded !== false) faults.push(`${status} ${JSON.stringify(body)}`);
        else if (body.success === true) admitted.set(asked, (admitted.get(asked) ?? 0) + 1);
      } catch (error) {
        faults.push(String(error));
      }
      answered++;
    }
  });
  return {
    answered: () => answered,
    stop: async () => {
      isOver = true;
      await Promise.all(asking);
      agent.destroy();
      return { admitted, faults };
    },
  };
}
