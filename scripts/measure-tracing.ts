/**
 * What tracing costs: CPU time of a check and of a start, without an endpoint, at 1 %, and with
 * every request recorded; in turns, against the executable in dist/ and a collector that takes everything.
 *
 *     node scripts/measure-tracing.ts [--checks 20000] [--rounds 3] [--other /path/of/another/dist/brume]
 *
 * With --other the same without an endpoint for another executable, such as one from before tracing.
 */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type Served, serveBrume } from './tracing/served-brume.ts';

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    other: { type: 'string' },
  },
});
const CHECKS = Number(values.checks);
const ROUNDS = Number(values.rounds);
const CONNECTIONS = 32;
const executable = join(import.meta.dirname, '../dist/brume');

const collector = createServer((incoming, answer) => {
  incoming.resume().once('end', () => answer.end('{}'));
});
collector.listen(0, '127.0.0.1');
await once(collector, 'listening');
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
const traced = (sample: string) => ({ BRUME_OTLP_ENDPOINT: endpoint, BRUME_TRACE_SAMPLE: sample });

const subjects: [name: string, executable: string, settings: Record<string, string>][] = [
  ...(values.other === undefined ? [] : [['another executable', values.other, {}] as never]),
  ['no endpoint', executable, {}],
  ['1 % of the requests', executable, traced('0.01')],
  ['every request', executable, traced('1')],
];
const cpuUs = new Map<string, number[]>();
const startCpuMs = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, path, settings] of subjects) {
    const served = await serveBrume(path, settings);
    note(startCpuMs, name, served.startCpuMs);
    await ask(served, CHECKS / 10);
    const before = served.cpuUs();
    await ask(served, CHECKS);
    note(cpuUs, name, (served.cpuUs() - before) / CHECKS);
    await served.stop();
  }
}
for (const [name] of subjects) {
  const [cpu, start] = [cpuUs, startCpuMs].map((all) =>
    (all.get(name) ?? []).map((value) => value.toFixed(1)),
  );
  console.log(
    `${name.padEnd(20)} CPU µs a check: ${cpu?.join(' ')}   CPU ms of the start: ${start?.join(' ')}`,
  );
}
collector.closeAllConnections();
collector.close();

function note(all: Map<string, number[]>, name: string, value: number): void {
  all.set(name, [...(all.get(name) ?? []), value]);
}

/** Checks over connections that stay open, each at once after the last. */
async function ask({ url, key }: Served, checks: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const body = JSON.stringify({ namespace: 'api', identifier: 'ann' });
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': body.length };
  let left = checks;
  const connection = async (): Promise<void> => {
    while (left-- > 0) {
      const call = request(`${url}/v1/limit`, { method: 'POST', agent, headers }).end(body);
      const [answer] = await once(call, 'response');
      await text(answer);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  agent.destroy();
}
