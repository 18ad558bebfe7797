/**
 * Load at a steady rate, whether answers come or not: `client.ts PLAN`, a LoadPlan as JSON. Prints `steady` when
 * it is under way; goes on until some time after its standard input has ended; then prints a LoadReport.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { agentStream, type HttpTarget } from './agent-stream.ts';
import { idleConnections } from './idle-connections.ts';
import {
  type LoadPlan,
  limitsOf,
  NAMESPACES,
  type Namespace,
  PER_IDENTIFIER,
  STEADY_MS,
  TAIL_MS,
} from './load.ts';
import { Pipeline } from './pipeline.ts';
import { rawConnection } from './raw-connection.ts';
import { Tally } from './tally.ts';
import { apiRequest, slowly, verdictOf } from './wire.ts';

const IDLE_CONNECTIONS = 50;
const PIPELINES = 3;
/** So many requests are written at once. */
const PIPELINED = 3;
const SLOW_REQUEST_MS = 5000;
/** Requests a second for each one through nginx. */
const SHARES = {
  nginxGet: 1 / 3,
  nginxPost: 1 / 3,
  nginxApi: 1 / 3,
  kept: 0.15,
  fresh: 0.15,
  pipelined: 0.2,
};
type Stream = keyof typeof SHARES;

const plan: LoadPlan = JSON.parse(process.argv[2] ?? '');
const { brumePort, nginxPort, key } = plan;
const startMs = performance.now();
const tally = new Tally(limitsOf(plan.seconds), startMs);
const told = once(process.stdin.resume(), 'end');
let endMs = Number.POSITIVE_INFINITY;
const running: Promise<void>[] = [];

/** Calls `send` for each request of a stream, when it is planned, until the end. */
async function paced(
  stream: Stream,
  send: (namespace: Namespace, identifier: string, plannedMs: number, index: number) => Promise<void>,
): Promise<void> {
  const rate = SHARES[stream] * plan.perSecond;
  const identifiers = Math.max(1, Math.round(rate / PER_IDENTIFIER / NAMESPACES.length));
  for (let index = 0; ; index++) {
    const plannedMs = startMs + (index * 1000) / rate;
    if (plannedMs > endMs) return;
    await delay(Math.max(0, plannedMs - performance.now()));
    const namespace = NAMESPACES[index % NAMESPACES.length] ?? 'few';
    const member = Math.floor(index / NAMESPACES.length) % identifiers;
    running.push(send(namespace, `${plan.run}-${stream}-${namespace}-${member}`, plannedMs, index));
  }
}

function byAgent(stream: Stream, target: HttpTarget): Promise<void> {
  const call = agentStream(target, { port: target.isThroughNginx ? nginxPort : brumePort, key });
  return paced(stream, (namespace, identifier, plannedMs) =>
    call(namespace, identifier, tally.ask(stream, namespace, identifier, plannedMs)),
  );
}

async function pipelined(): Promise<void> {
  const onSentAgain = () => void tally.sentAgain++;
  const pipelines = Array.from({ length: PIPELINES }, () => new Pipeline(brumePort, onSentAgain));
  let held: (() => void)[] = [];
  await paced('pipelined', (namespace, identifier, plannedMs, index) => {
    const answered = new Promise<void>((resolve) => {
      held.push(() => {
        const asked = tally.ask('pipelined', namespace, identifier, plannedMs);
        pipelines[Math.floor(index / PIPELINED) % PIPELINES]?.send({
          text: apiRequest(key, namespace, identifier),
          answered(answer) {
            const verdict = verdictOf(answer.status, answer.body);
            if (typeof verdict === 'string') asked.failed(verdict);
            else asked.judged(verdict);
            resolve();
          },
          failed(what) {
            asked.failed(what);
            resolve();
          },
        });
      });
    });
    if (held.length === PIPELINED) {
      for (const send of held) send();
      held = [];
    }
    return answered;
  });
  for (const send of held) send();
  await Promise.all(running);
  for (const pipeline of pipelines) pipeline.end();
}

/** One whose body takes 5 s, sent while something is done. */
async function slow(): Promise<void> {
  await delay(STEADY_MS - 500);
  const identifier = `${plan.run}-slow`;
  // What it takes to be sent is no latency.
  const asked = tally.ask('slow', 'many', identifier, performance.now() + SLOW_REQUEST_MS);
  await new Promise<void>((resolve) => {
    let isAnswered = false;
    const socket = rawConnection(brumePort, {
      onAnswer({ status, body }) {
        isAnswered = true;
        const verdict = verdictOf(status, body);
        if (typeof verdict === 'string') asked.failed(verdict);
        else asked.judged(verdict);
        socket.end();
        resolve();
      },
      onEnd(code) {
        if (!isAnswered) asked.failed(code ?? 'closed without an answer');
        resolve();
      },
    });
    void slowly(socket, apiRequest(key, 'many', identifier), SLOW_REQUEST_MS);
  });
}

const idle = idleConnections(brumePort, IDLE_CONNECTIONS, (what) => tally.fault('idle', what));
const streams = [
  byAgent('nginxGet', { isThroughNginx: true, method: 'GET', isKept: true }),
  byAgent('nginxPost', { isThroughNginx: true, method: 'POST', isKept: true }),
  byAgent('nginxApi', { isThroughNginx: true, method: 'API', isKept: true }),
  byAgent('kept', { isThroughNginx: false, method: 'API', isKept: true }),
  byAgent('fresh', { isThroughNginx: false, method: 'API', isKept: false }),
  pipelined(),
  slow(),
];
await delay(STEADY_MS);
console.log('steady');
await told;
tally.told();
endMs = Math.max(performance.now() + TAIL_MS, startMs + plan.seconds * 1000);
await Promise.all(streams);
await Promise.all(running);
idle.end();
// The agents' connections would stay open.
process.stdout.write(`${JSON.stringify(tally.report())}\n`, () => process.exit());
