import type { RedisEndpoint } from '../redis-address.ts';

/** What one Sentinel says of a master. */
export interface SentinelView {
  readonly master: RedisEndpoint;
  /** Raised by each failover: of two views the newer one has the higher. */
  readonly epoch: number;
  /** The other Sentinels that it knows. */
  readonly others: readonly KnownSentinel[];
}

interface KnownSentinel {
  readonly id: string;
  readonly endpoint: RedisEndpoint;
}

/**
 * Of the answers to SENTINEL MASTER and SENTINEL SENTINELS.
 *
 * @throws RangeError if they are of another form.
 */
export function sentinelViewOf(master: unknown, others: unknown): SentinelView {
  const fields = fieldsOf(master);
  const endpoint = endpointOf(fields);
  if (endpoint === undefined) throw new RangeError('a Sentinel names no master');
  return {
    master: endpoint,
    epoch: Number(fields.get('config-epoch') ?? 0) || 0,
    others: (Array.isArray(others) ? others : []).flatMap((each) => {
      const other = fieldsOf(each);
      const [id, place] = [other.get('runid'), endpointOf(other)];
      return id === undefined || id === '' || place === undefined ? [] : [{ id, endpoint: place }];
    }),
  };
}

/** Names and values in turn. */
function fieldsOf(reply: unknown): ReadonlyMap<string, string> {
  if (!Array.isArray(reply)) throw new RangeError(`a Sentinel answered with ${typeof reply}, not fields`);
  return new Map(
    reply.flatMap((name, index) => (index % 2 === 0 ? [[String(name), String(reply[index + 1])]] : [])),
  );
}

function endpointOf(fields: ReadonlyMap<string, string>): RedisEndpoint | undefined {
  const [host, port] = [fields.get('ip'), Number(fields.get('port'))];
  return host === undefined || host === '' || !Number.isInteger(port) || port < 1
    ? undefined
    : { host, port };
}
