import { setTimeout as delay } from 'node:timers/promises';
import type { RigProcess } from './rig-process.ts';
import { waitFor } from './wait-for.ts';

/** Of the one master that Sentinels of tests watch. */
export const MASTER_NAME = 'mymaster';

/** By most of the Sentinels that answer at once; undefined if they are of no one mind. */
export async function namedMaster(
  sentinels: readonly RigProcess[],
  servers: readonly RigProcess[],
): Promise<RigProcess | undefined> {
  const answers = await Promise.all(
    sentinels.map(({ client }) =>
      Promise.race([
        client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME).catch(() => undefined),
        delay(200, undefined),
      ]),
    ),
  );
  const ports = answers.flatMap((answer) => (Array.isArray(answer) ? [Number(answer[1])] : []));
  return servers.find(
    ({ announcedPort }) => 2 * ports.filter((named) => named === announcedPort).length > ports.length,
  );
}

/** Resolves with the first of `replicas` that says it is a master, within some milliseconds of that. */
export function waitForPromotion(replicas: readonly RigProcess[]): Promise<RigProcess> {
  return waitFor(
    'a replica that is promoted',
    async () => {
      const roles = await Promise.all(replicas.map(({ client }) => client.info('replication')));
      return replicas[roles.findIndex((role) => role.includes('role:master'))];
    },
    { everyMs: 2 },
  );
}

/** Whether the first Sentinel begins one: after the last it refuses for a while, with what differs by its version. */
export async function beginFailover([sentinel]: readonly RigProcess[]): Promise<boolean> {
  try {
    await sentinel?.client.call('SENTINEL', 'FAILOVER', MASTER_NAME);
    return true;
  } catch (error) {
    if (error instanceof Error && /^(INPROG|NOGOODSLAVE)/.test(error.message)) return false;
    throw error;
  }
}

export async function inStep({ client }: RigProcess, replicas: number): Promise<void> {
  await waitFor('replicas in step', async () => {
    const online = (await client.info('replication')).match(/state=online/g) ?? [];
    return online.length === replicas;
  });
}

/** Without that none of them can be promoted. */
export async function knowsReplicas(sentinel: RigProcess, replicas: number): Promise<void> {
  await waitFor('a Sentinel that knows the replicas', async () => {
    const known = await sentinel.client.call('SENTINEL', 'REPLICAS', MASTER_NAME);
    const right = (known as string[][]).filter(
      (each) => each[each.indexOf('master-link-status') + 1] === 'ok',
    );
    return right.length === replicas;
  });
}
