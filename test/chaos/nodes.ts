import { askAdmin, createTenant } from '../support/admin-socket.ts';
import { type BrumeProcess, startBrume } from '../support/brume-process.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { heldMemory, INSPECTED } from './held-memory.ts';
import { Caller } from './load/caller.ts';
import { GUARDED, NODES, RULES } from './load/namespaces.ts';
import { isRunning } from './rigs/processes.ts';

/** What a check waits for Redis; more than the default, since all of this shares few cores. */
export const DEADLINE_MS = 100;
const PROJECT = 'chaos';

/** Two nodes of Brume on one Redis, or whatever stands for it, and one PostgreSQL. */
export interface Nodes {
  readonly callers: readonly Caller[];
  readonly pids: readonly number[];
  /** Each node's metrics, as `name{labels}` to value. */
  metrics(): Promise<ReadonlyMap<string, number>[]>;
  /** What each node holds once its garbage is collected, in bytes. */
  heldMemory(): Promise<number[]>;
  /** Those that have ended by themselves. */
  ended(): string[];
  logs(): string[];
  stop(): Promise<void>;
}

export async function startNodes(redisUrl: string): Promise<Nodes> {
  const database = await createTestDatabase();
  const processes: BrumeProcess[] = [];
  const callers: Caller[] = [];
  async function stop(): Promise<void> {
    for (const caller of callers) caller.close();
    await Promise.all(processes.map((process) => process.stop()));
    await database.drop();
  }
  try {
    const managementPorts = await Promise.all(Array.from({ length: NODES }, () => freePort()));
    const settings = {
      BRUME_REDIS_URL: redisUrl,
      BRUME_DATABASE_URL: database.url,
      BRUME_REDIS_TIMEOUT_MS: String(DEADLINE_MS),
      BRUME_QUOTA_CHECKPOINT_MS: '1000',
      BRUME_ACCESS_LOG: 'off',
      ...INSPECTED,
    };
    for (const port of managementPorts)
      processes.push(await startBrume({ ...settings, BRUME_MANAGEMENT_LISTEN: `127.0.0.1:${port}` }));
    const key = await configure(processes[0]?.settings.BRUME_ADMIN_SOCKET ?? '');
    callers.push(...processes.map(({ url, pid }) => new Caller(url, key, pid)));
    for (const caller of callers) await untilKnown(caller);
    return {
      callers,
      pids: processes.map(({ pid }) => pid),
      metrics: () =>
        Promise.all(
          managementPorts.map(async (port) => {
            const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
            return samples(await answer.text());
          }),
        ),
      heldMemory: () => Promise.all(processes.map((process) => heldMemory(process.log()))),
      ended: () => processes.filter(({ pid }) => !isRunning(pid)).map(({ url }) => url),
      logs: () => processes.map((process) => process.log()),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resolves with a key for the namespaces. */
async function configure(socket: string): Promise<string> {
  const key = await createTenant(socket, PROJECT, RULES);
  const namespace = `/v1/projects/${PROJECT}/namespaces/${GUARDED.name}`;
  await askAdmin(socket, 'POST', `${namespace}/blocks`, { match: 'villain' });
  await askAdmin(socket, 'POST', `${namespace}/exemptions`, { match: 'saint' });
  return key;
}

/** The other node learns of everything within a second: of the last change, of all before it. */
async function untilKnown(caller: Caller): Promise<void> {
  for (const endMs = Date.now() + 30_000; Date.now() < endMs; ) {
    const body = { namespace: GUARDED.name, identifier: 'saint' };
    const answer = await caller.ask({ path: '/v1/peek', body });
    if (answer.status === 200 && (answer.body as { reason: string }).reason === 'exempt') return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the configuration did not arrive');
}

function samples(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const blank = line.lastIndexOf(' ');
      return [line.slice(0, blank), Number(line.slice(blank + 1))] as const;
    }),
  );
}
