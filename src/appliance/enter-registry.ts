import type { Config } from '../config/config.ts';
import { systemTimers } from '../stores/cache/timers.ts';
import { NODE_GONE_AFTER_MS, NodeRegistry, type NodeRegistryOptions } from '../stores/sql/node-registry.ts';
import type { Node } from '../stores/sql/nodes.ts';
import type { Sql } from '../stores/sql/sql.ts';
import { StartError } from './start-error.ts';
import { isProcessGone, thisNode } from './this-node.ts';

/** This node's id, and where the registry reports to. */
export interface RegistryOptions extends Pick<NodeRegistryOptions, 'log' | 'onOthers'> {
  readonly node: string;
}

/**
 * Makes this node known to those on the same PostgreSQL, and resolves with what takes it out again.
 * The embedded database needs none of it: its lock admits one process.
 *
 * @throws StartError if a live node is there and one of the two counts in memory.
 */
export async function enterRegistry(
  config: Config,
  sql: Sql,
  options: RegistryOptions,
): Promise<() => Promise<void>> {
  if (config.databaseUrl === null) return async () => undefined;
  const { self, registry } = registryOf(config, sql, options);
  const rival = await registry.enter();
  if (rival !== undefined) throw new StartError(refusal(self, rival));
  return () => registry.leave();
}

/** As `enterRegistry`, for a node that began to serve while PostgreSQL was away: a rival is an error in the log. */
export async function joinRegistry(
  config: Config,
  sql: Sql,
  options: RegistryOptions,
): Promise<() => Promise<void>> {
  const { registry } = registryOf(config, sql, options);
  await registry.join();
  return () => registry.leave();
}

function registryOf(
  config: Config,
  sql: Sql,
  { node, ...options }: RegistryOptions,
): { self: Node; registry: NodeRegistry } {
  const self = thisNode(node, config.redisUrl === null ? 'embedded' : 'redis');
  const registry = new NodeRegistry({ sql, self, timers: systemTimers, isGone: isProcessGone, ...options });
  return { self, registry };
}

function refusal(self: Node, rival: Node): string {
  const where =
    self.counters !== 'embedded'
      ? 'it counts in its own memory'
      : rival.counters === 'embedded'
        ? 'both count in their own memory'
        : 'this one would count in its own memory';
  return (
    `BRUME_DATABASE_URL: another live node uses this database (process ${rival.pid} on ${rival.host}), and ` +
    `${where}, so that each would admit the whole limit. Stop that node, or give both the same Redis with ` +
    `BRUME_REDIS_URL. If it has crashed, it counts as gone ${NODE_GONE_AFTER_MS / 1000} s after its last sign.`
  );
}
