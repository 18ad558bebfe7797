import { Agent, request } from 'node:http';

export interface Answer {
  /** When it was planned to be sent, by performance.now(). */
  readonly startMs: number;
  readonly endMs: number;
  readonly isDegraded: boolean;
  /** No verdict at all. */
  readonly isFailed: boolean;
}

export interface Load {
  /** Sends nothing more, and resolves with all answers in the order in which they were sent. */
  stop(): Promise<readonly Answer[]>;
}

/** So many checks a second, each for an identifier of its own, sent when they are due and not when others are answered. */
export function openLoad({ url, key, rate }: { url: string; key: string; rate: number }): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const asked: Promise<Answer>[] = [];
  const beganMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - beganMs) * rate) / 1000);
    while (asked.length < due) asked.push(ask(agent, { url, key, identifier: `id-${asked.length}` }));
  }, 2);
  return {
    async stop() {
      clearInterval(timer);
      const answers = await Promise.all(asked);
      agent.destroy();
      return answers;
    },
  };
}

function ask(
  agent: Agent,
  { url, key, identifier }: { url: string; key: string; identifier: string },
): Promise<Answer> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    const fail = () => resolve({ startMs, endMs: performance.now(), isDegraded: false, isFailed: true });
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const sent = request(`${url}/v1/limit`, { agent, method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => {
        const isDegraded = answer.headers['x-brume-ratelimit-degraded'] === 'true';
        resolve({ startMs, endMs: performance.now(), isDegraded, isFailed: answer.statusCode !== 200 });
      });
    });
    sent.on('error', fail).end(JSON.stringify({ namespace: 'api', identifier }));
  });
}
