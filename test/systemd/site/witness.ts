/**
 * Asks nodes for verdicts at a steady rate, whether answers come or not, and notes what came of each check: a load
 * that shares nothing with that of `brume drill`. `witness.ts PLAN`, a WitnessPlan as JSON. Prints `steady` after a
 * second, and once its standard input has ended, all that it noted: Noted[] as JSON.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Noted, WitnessPlan } from './testimony.ts';

const STEADY_MS = 1000;
const PATIENCE_MS = 5000;
const LIFE_SECONDS = 4;

const { nodes, key, namespace, run, rate }: WitnessPlan = JSON.parse(process.argv[2] ?? '');
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
  const note = (judged: Pick<Noted, 'came' | 'isAdmitted'>) =>
    noted.push({ dueMs, endMs: now(), node, identifier, ...judged });
  try {
    const answer = await fetch(`${node}/v1/limit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ namespace, identifier }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const body = await answer.text();
    if (answer.status !== 200) note({ came: String(answer.status), isAdmitted: false });
    else {
      const { success, degraded } = JSON.parse(body);
      note({ came: degraded ? 'degraded' : 'counted', isAdmitted: success });
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    note({ came: cause instanceof Error ? cause.message : String(cause), isAdmitted: false });
  }
}

let isOver = false;
once(process.stdin.resume(), 'end').then(() => {
  isOver = true;
});
const asked: Promise<void>[] = [];
let isSteady = false;
for (let check = 0; !isOver; check++) {
  const ahead = beganMs + (check * 1000) / rate - now();
  if (ahead > 0) await delay(ahead);
  asked.push(ask(check));
  if (!isSteady && now() - beganMs > STEADY_MS) {
    isSteady = true;
    console.log('steady');
  }
}
await Promise.all(asked);
// Its connections would stay open.
process.stdout.write(`${JSON.stringify(noted)}\n`, () => process.exit());
