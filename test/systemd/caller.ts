/**
 * Asks GET /health at a steady rate, whether answers come or not: `caller.ts PORT PER_SECOND SECONDS`. Half of
 * the requests have a connection each, the others share kept-alive ones. Prints an Outcomes.
 */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How many requests ended how: `200`, `503`, `ECONNREFUSED`, … */
export interface Outcomes {
  readonly sent: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

const PATIENCE_MS = 60_000;

const [port = 0, perSecond = 0, seconds = 0] = process.argv.slice(2).map(Number);
const kept = new Agent({ keepAlive: true });
const ends: Record<string, number> = {};
let slowestMs = 0;

function ask(agent: Agent | false): Promise<void> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    const end = (how: string): void => {
      ends[how] = (ends[how] ?? 0) + 1;
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
      resolve();
    };
    const call = request(
      { host: '127.0.0.1', port, path: '/health', agent, timeout: PATIENCE_MS },
      (answer) => {
        answer.resume();
        answer.on('end', () => end(String(answer.statusCode)));
        answer.on('error', (error) => end(error.message));
      },
    );
    call.on('timeout', () => call.destroy(new Error('no answer')));
    call.on('error', (error) => end('code' in error ? String(error.code) : error.message));
    call.end();
  });
}

const asked: Promise<void>[] = [];
const startMs = performance.now();
for (let at = 0; at < perSecond * seconds; at++) {
  await delay(Math.max(0, startMs + (at * 1000) / perSecond - performance.now()));
  asked.push(ask(at % 2 === 0 ? kept : false));
}
await Promise.all(asked);
kept.destroy();
const outcomes: Outcomes = { sent: asked.length, ends, slowestMs: Math.round(slowestMs) };
console.log(JSON.stringify(outcomes));
