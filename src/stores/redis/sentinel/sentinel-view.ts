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

/** A Sentinel is about to promote `replica` in place of `master`. */
export interface Selection {
  readonly masterName: string;
  readonly replica: RedisEndpoint;
  readonly master: RedisEndpoint;
}

/** Of what is published at `+selected-slave`: `slave NAME IP PORT @ MASTER-NAME IP PORT`; undefined if it is of another form. */
export function selectionOf(message: string): Selection | undefined {
  const [, , ip = '', port, at, masterName = '', masterIp = '', masterPort] = message.split(' ');
  const replica = placeOf(ip, port);
  const master = placeOf(masterIp, masterPort);
  return at !== '@' || replica === undefined || master === undefined
    ? undefined
    : { masterName, replica, master };
}

/**
 * Of the answers to SENTINEL MASTER, SENTINEL SENTINELS and SENTINEL GET-MASTER-ADDR-BY-NAME.
 *
 * @param address undefined where it may not be asked for. The Sentinel that leads a failover tells of the new
 *   master here as soon as that is promoted, and in `master` when all replicas follow it.
 * @throws RangeError if they are of another form.
 */
export function sentinelViewOf(master: unknown, others: unknown, address?: unknown): SentinelView {
  const fields = fieldsOf(master);
  const [host, port] = Array.isArray(address) ? address.map(String) : [];
  const endpoint = placeOf(host, port) ?? endpointOf(fields);
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

/**
 * What a Sentinel says of one server or Sentinel: names and values in turn.
 *
 * @throws RangeError if it is no list.
 */
export function fieldsOf(reply: unknown): ReadonlyMap<string, string> {
  if (!Array.isArray(reply)) throw new RangeError(`a Sentinel answered with ${typeof reply}, not fields`);
  return new Map(
    reply.flatMap((name, index) => (index % 2 === 0 ? [[String(name), String(reply[index + 1])]] : [])),
  );
}

const endpointOf = (fields: ReadonlyMap<string, string>) => placeOf(fields.get('ip'), fields.get('port'));

function placeOf(host: string | undefined, portText: string | undefined): RedisEndpoint | undefined {
  const port = Number(portText);
  return host === undefined || host === '' || !Number.isInteger(port) || port < 1
    ? undefined
    : { host, port };
}
