import type { ApiClient } from '../../client/api-client.ts';
import { exchange } from '../../client/exchange.ts';
import type { Status } from '../../client/status.ts';
import { messageOf } from '../../errors/message-of.ts';
import { OperationError } from '../operation-error.ts';
import type { DrillName } from './fault.ts';
import { liveRateOfAll } from './live-rate.ts';
import { assertApart } from './nodes-apart.ts';
import { assertNoOther, OWN_NAMESPACES } from './own-project.ts';

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
const DEGRADED_NAMED_MAX = 5;
const READY_TIMEOUT_MS = 5000;
const VERDICT_TIMEOUT_MS = 2000;
/** Nobody is made to wait longer for the usage of other nodes. */
const USAGE_WRITE_MAX_MS = 30_000;

/** Looks whether a drill may begin, and gives what this node says of itself. Rejects with an OperationError if not. */
export async function lookBefore(looked: Looked, signal: AbortSignal): Promise<Status> {
  const { client, nodes, isLive } = looked;
  const status = await client.status();
  // First, since what another drill does may be why this system isn't well.
  if (status.configuration.state === 'available') await assertNoOther(client, signal);
  await assertHealthy(client, status);
  await assertApart(nodes);
  await Promise.all(nodes.map(assertReady));
  if (!isLive) await assertQuiet(looked, status, signal);
  return status;
}

/** What isn't there can't be taken away. */
export function assertThere(drill: DrillName, { configuration, counters }: Status): void {
  if (drill === 'redis-loss' && counters.kind === 'embedded')
    throw new OperationError('The counters of this Brume are embedded (BRUME_REDIS_URL): there is no Redis.');
  if (drill === 'postgres-loss' && configuration.kind === 'sqlite') {
    throw new OperationError(
      'The configuration of this Brume is in SQLite (BRUME_DATABASE_URL): there is no PostgreSQL.',
    );
  }
}

async function assertHealthy(client: ApiClient, status: Status): Promise<void> {
  const amiss = [
    ...storesAmiss(status),
    ...nodesAmiss(status),
    ...(status.degraded.length === 0 ? [] : [await degradedText(client, status)]),
  ];
  if (amiss.length === 0 && status.status === 'ready') return;
  const what = amiss.length === 0 ? `it is ${status.status}` : amiss.join('; ');
  throw new OperationError(
    `This system is not healthy, and a drill would make it worse: ${what}. Begin when brume status has exit code 0.`,
  );
}

function storesAmiss({ configuration, counters }: Status): string[] {
  const amiss: string[] = [];
  if (configuration.state !== 'available') {
    const runbook =
      configuration.state === 'read_only' ? 'configuration-read-only' : 'configuration-store-away';
    amiss.push(`the configuration store is ${configuration.state}${lookIn(runbook)}`);
  }
  if (counters.state !== 'available') {
    const fault = counters.fault === null ? '' : `, ${counters.fault}`;
    amiss.push(`the counters are ${counters.state}${fault}${lookIn('degraded')}`);
  }
  return amiss;
}

function nodesAmiss({ nodesElsewhere }: Status): string[] {
  if (nodesElsewhere.length === 0) return [];
  const nodes = nodesElsewhere.map(({ host, pid }) => `${pid} on ${host}`).join(', ');
  return [`processes count in another Redis: ${nodes}${lookIn('nodes-count-elsewhere')}`];
}

/** Such a drill may have been the last one, whose project is gone. */
async function degradedText(client: ApiClient, { degraded, configuration }: Status): Promise<string> {
  const projects = configuration.state === 'available' ? await client.listProjects() : [];
  const nameOf = (project: string) =>
    projects.find(({ id }) => id === project)?.name ?? `${project} (deleted)`;
  const named = degraded
    .slice(0, DEGRADED_NAMED_MAX)
    .map(
      ({ namespace, projectId, policy, fault }) =>
        `${namespace} of ${nameOf(projectId)} by ${policy} (${fault})`,
    );
  const more = degraded.length - named.length;
  const all = more > 0 ? [...named, `and ${more} more`] : named;
  const what = `namespaces were judged by their failure policy in the last ten seconds: ${all.join(', ')}`;
  const isOfLastDrill = degraded.every(
    ({ namespace, projectId }) =>
      OWN_NAMESPACES.includes(namespace) && !projects.some(({ id }) => id === projectId),
  );
  return isOfLastDrill
    ? `${what}. That was the last drill: wait ten seconds`
    : `${what}${lookIn('degraded')}`;
}

function lookIn(runbook: string): string {
  return ` (brume runbook check ${runbook})`;
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
  if (status === 'ready') return assertDataPlane(node);
  if (typeof status !== 'string') refuse('What answers there is no data plane of Brume.');
  const states = Object.entries(Object(stores)).map(([store, state]) => `${store} ${state}`);
  refuse(`It is ${[status, ...states].join(', ')}.`);
}

/** The management plane says whether it is ready, too. Who gives no answer is left to the load. */
async function assertDataPlane(node: string): Promise<void> {
  const request = { method: 'POST', path: '/v1/limit', body: {} } as const;
  const answer = await exchange({ url: node }, request, VERDICT_TIMEOUT_MS).catch(() => undefined);
  if (answer?.status !== 404) return;
  throw new OperationError(
    `${node} gives no verdicts (404): is it the management plane? Name the data plane, as BRUME_LISTEN has it.`,
  );
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
