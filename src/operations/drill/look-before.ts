import type { ApiClient } from '../../client/api-client.ts';
import { exchange } from '../../client/exchange.ts';
import type { Status } from '../../client/status.ts';
import { messageOf } from '../../errors/message-of.ts';
import { OperationError } from '../operation-error.ts';
import { liveRateOfAll } from './live-rate.ts';
import { assertNoOther } from './own-project.ts';

export interface Looked {
  readonly client: ApiClient;
  /** Data planes: `http://127.0.0.1:8600`. */
  readonly nodes: readonly string[];
  /** Also where others ask for verdicts meanwhile. */
  readonly isLive: boolean;
  /** Checks a second that others ask this node for now. */
  readonly liveRate: (signal: AbortSignal) => Promise<number>;
  /** How often each node adds what it counted to the usage. */
  readonly usageWriteMs: number;
}

/** More than this is somebody else's traffic, and no single check by hand. */
const LIVE_MAX = 0.5;
const READY_TIMEOUT_MS = 3000;
/** Nobody is made to wait longer for the usage of other nodes. */
const USAGE_WRITE_MAX_MS = 30_000;

/** Looks whether a drill may begin, and gives what this node says of itself. Rejects with an OperationError if not. */
export async function lookBefore(looked: Looked, signal: AbortSignal): Promise<Status> {
  const { client, nodes, isLive } = looked;
  const status = await client.status();
  // What another drill has done to this system is no reason to look for one.
  if (status.configuration.state === 'available') await assertNoOther(client, signal);
  await assertHealthy(client, status);
  await Promise.all(nodes.map(assertReady));
  if (!isLive) await assertQuiet(looked, status, signal);
  return status;
}

async function assertHealthy(client: ApiClient, status: Status): Promise<void> {
  const { configuration, counters, nodesElsewhere, degraded } = status;
  const amiss: string[] = [];
  const add = (what: string, runbook: string) => amiss.push(`${what} (brume runbook check ${runbook})`);
  if (configuration.state === 'read_only')
    add('the configuration store is read_only', 'configuration-read-only');
  else if (configuration.state !== 'available')
    add(`the configuration store is ${configuration.state}`, 'configuration-store-away');
  if (counters.state !== 'available')
    add(
      `the counters are ${counters.state}${counters.fault === null ? '' : `, ${counters.fault}`}`,
      'degraded',
    );
  for (const { host, pid } of nodesElsewhere)
    add(`process ${pid} on ${host} counts in another Redis`, 'nodes-count-elsewhere');
  const lately =
    degraded.length > 0 && configuration.state === 'available' ? await client.listProjects() : [];
  for (const { namespace, projectId, policy, fault } of degraded) {
    const name = lately.find(({ id }) => id === projectId)?.name ?? `${projectId}, which is deleted,`;
    add(
      `namespace ${namespace} of ${name} was judged by its policy ${policy} in the last ten seconds, ${fault}`,
      'degraded',
    );
  }
  if (amiss.length === 0 && status.status !== 'ready') amiss.push(`it is ${status.status}`);
  if (amiss.length === 0) return;
  throw new OperationError(
    `This system is not healthy, and a drill would make it worse: ${amiss.join('; ')}. Begin when brume status has exit code 0.`,
  );
}

/** The same of a node that is asked, as far as its data plane tells. */
async function assertReady(node: string): Promise<void> {
  const refuse = (what: string, cause?: unknown): never => {
    throw new OperationError(`${node} is not healthy, and a drill would make it worse: ${what}`, { cause });
  };
  const request = { method: 'GET', path: '/ready' } as const;
  const { body } = await exchange({ url: node }, request, READY_TIMEOUT_MS).catch((error: unknown) =>
    refuse(messageOf(error), error),
  );
  const { status, stores } = Object(body);
  if (status === 'ready') return;
  if (typeof status !== 'string') refuse('What answers there is no data plane of Brume.');
  const states = Object.entries(Object(stores)).map(([store, state]) => `${store} ${state}`);
  refuse(`It is ${[status, ...states].join(', ')}.`);
}

async function assertQuiet(
  { client, nodes, liveRate, usageWriteMs }: Looked,
  status: Status,
  signal: AbortSignal,
): Promise<void> {
  const rate = await liveRate(signal);
  if (rate > LIVE_MAX) throw inUse('This node is in use', rate);
  if (status.nodes < 2 && nodes.length < 2) return;
  if (usageWriteMs > USAGE_WRITE_MAX_MS) {
    throw new OperationError(
      `Whether other nodes are in use is known every ${usageWriteMs} ms only (BRUME_USAGE_WRITE_MS). Add --live to do the drill all the same.`,
    );
  }
  const all = await liveRateOfAll(client, usageWriteMs, signal);
  if (all.rate > LIVE_MAX) throw inUse(`Another node is in use, by ${all.projects.join(', ')}`, all.rate);
}

function inUse(what: string, rate: number): OperationError {
  return new OperationError(
    `${what} (${rate.toFixed(1)} checks a second). Add --live to do the drill all the same.`,
  );
}
