import { Agent, type ClientRequest, request } from 'node:http';
import { codeOf } from '../doctor/finding.ts';

/** One check of the drill's own load. Times by `performance.now()`. */
export interface SentCheck {
  /** When it was due, whatever came before it. */
  readonly dueMs: number;
  /** Later than that where this process was held up. */
  readonly sentMs: number;
  readonly node: string;
  readonly identifier: string;
}

/** And what came of it. */
export interface Sample extends SentCheck {
  readonly endMs: number;
  /** No answer, or one that is no verdict: `ECONNREFUSED`, `503`; null: there is a verdict. */
  readonly fault: string | null;
  readonly isAllowed: boolean;
  /** The failure policy gave it, and not the counters. */
  readonly isDegraded: boolean;
}

export interface LoadOptions {
  /** Data planes: `http://127.0.0.1:8600`. SentCheck in turn. */
  readonly nodes: readonly string[];
  readonly key: string;
  readonly namespace: string;
  /** Checks a second, over all nodes. */
  readonly rate: number;
  /** The identifier of the check that is due so many milliseconds after the beginning. */
  readonly identifierAt: (atMs: number) => string;
}

const LOOK_EVERY_MS = 2;
/** No proxy waits for so long, and no deadline of Brume's is so late. */
const TIMEOUT_MS = 5000;

/**
 * So many checks a second, sent when they are due and not when others are answered: what the callers of a system
 * that stalls would see. Connections are kept alive, as by a proxy.
 */
export class DrillLoad {
  readonly beganMs = performance.now();
  readonly #options: LoadOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #samples: Sample[] = [];
  readonly #underWay = new Map<SentCheck, Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #sentCount = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#send(), LOOK_EVERY_MS);
  }

  /** Those that are answered, in the order of their answers; it grows. */
  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** Those that are sent and not answered yet. */
  get unanswered(): readonly SentCheck[] {
    return [...this.#underWay.keys()];
  }

  /** All that were asked about. */
  get identifiers(): ReadonlySet<string> {
    return new Set([...this.#samples, ...this.unanswered].map(({ identifier }) => identifier));
  }

  /** Sends nothing more, and resolves when all are answered. */
  async stop(): Promise<readonly Sample[]> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay.values());
    this.#agent.destroy();
    return this.#samples;
  }

  #send(): void {
    const { rate } = this.#options;
    const due = ((performance.now() - this.beganMs) * rate) / 1000;
    while (this.#sentCount < due) {
      const asked = this.#check(this.#sentCount++);
      const answered = this.#ask(asked).then((sample) => {
        this.#samples.push(sample);
        this.#underWay.delete(asked);
      });
      this.#underWay.set(asked, answered);
    }
  }

  #check(index: number): SentCheck {
    const { nodes, rate, identifierAt } = this.#options;
    const atMs = (index * 1000) / rate;
    const node = nodes[index % nodes.length] as string;
    return { dueMs: this.beganMs + atMs, sentMs: performance.now(), node, identifier: identifierAt(atMs) };
  }

  #ask(asked: SentCheck): Promise<Sample> {
    const { key, namespace } = this.#options;
    const { node, identifier } = asked;
    return new Promise((resolve) => {
      const end = (answer: Pick<Sample, 'fault' | 'isAllowed' | 'isDegraded'>) =>
        resolve({ ...asked, endMs: performance.now(), ...answer });
      const fail = (fault: string) => end({ fault, isAllowed: false, isDegraded: false });
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const sent: ClientRequest = request(
        `${node}/v1/limit`,
        { agent: this.#agent, method: 'POST', headers, timeout: TIMEOUT_MS },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', (error) => fail(codeOf(error)));
          response.on('end', () => {
            const verdict = verdictIn(Buffer.concat(parts));
            if (response.statusCode !== 200 || verdict === undefined) fail(String(response.statusCode));
            else end({ fault: null, isAllowed: verdict.success, isDegraded: verdict.degraded });
          });
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.on('error', (error) => fail(codeOf(error)));
      sent.end(JSON.stringify({ namespace, identifier }));
    });
  }
}

function verdictIn(body: Buffer): { success: boolean; degraded: boolean } | undefined {
  try {
    const { success, degraded } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    return typeof success === 'boolean' && typeof degraded === 'boolean' ? { success, degraded } : undefined;
  } catch {
    return undefined;
  }
}
