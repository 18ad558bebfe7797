/**
 * Asks nodes for verdicts at a steady rate, whether answers come or not, and notes what came of each check: a load
 * that shares nothing with that of `brume drill`. `witness.ts PLAN`, a WitnessPlan as JSON. Prints `steady` after a
 * second, and once its standard input has ended, all that it noted: Noted[] as JSON.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Noted, WitnessPlan } from './testimony.ts';

const STEADY_MS = 1000;
const PATIENCE_MS = 5000;
const LIFE_SECONDS = 4;

const { nodes, key, namespace, run, rate }: WitnessPlan = JSON.parse(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true });
const noted: Noted[] = [];
const beganMs = now();

/** By the clock that the guests have, too, to parts of a millisecond. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

/** A caller comes each second and stays for four; the four of a moment take turns. */
function identifierOf(check: number): string {
  return `${run}-${Math.floor(check / rate) - (check % LIFE_SECONDS)}`;
}

async function ask(check: number): Promise<void> {
  const node = nodes[check % nodes.length] ?? '';
  const identifier = identifierOf(check);
  const dueMs = beganMs + (check * 1000) / rate;
  const sentMs = now();
  const note = (judged: Pick<Noted, 'came' | 'isAdmitted'>) =>
    noted.push({ dueMs, sentMs, endMs: now(), node, identifier, ...judged });
  try {
    const { status, text } = await post(`${node}/v1/limit`, JSON.stringify({ namespace, identifier }));
    if (status !== 200) note({ came: String(status), isAdmitted: false });
    else {
      const { success, degraded } = JSON.parse(text);
      note({ came: degraded ? 'degraded' : 'counted', isAdmitted: success });
    }
  } catch (error) {
    note({ came: error instanceof Error ? error.message : String(error), isAdmitted: false });
  }
}

/** Not by fetch, which costs more of a processor that others need, too. */
function post(url: string, body: string): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const sent = request(url, { agent, method: 'POST', headers, timeout: PATIENCE_MS }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.once('end', () => resolve({ status: answer.statusCode, text }));
      answer.once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer')));
    sent.once('error', reject);
    sent.end(body);
  });
}

let isOver = false;
once(process.stdin.resume(), 'end').then(() => {
  isOver = true;
});
const asked: Promise<void>[] = [];
let isSteady = false;
for (let check = 0; !isOver; check++) {
  const ahead = beganMs + (check * 1000) / rate - now();
  // Also where it is late: answers that came meanwhile are not to wait until it is not.
  await (ahead > 0 ? delay(ahead) : turn());
  asked.push(ask(check));
  if (!isSteady && now() - beganMs > STEADY_MS) {
    isSteady = true;
    console.log('steady');
  }
}
await Promise.all(asked);
// Its connections would stay open.
process.stdout.write(`${JSON.stringify(noted)}\n`, () => process.exit());
