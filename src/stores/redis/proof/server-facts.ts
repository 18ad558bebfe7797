import type { Redis } from 'ioredis';
import { infoFields } from '../server-identity.ts';

/** What a server tells of itself. Undefined is what it doesn't let one see. */
export interface ServerFacts {
  /** `Redis 7.0.15` */
  readonly version: string;
  readonly role: string | undefined;
  readonly isClusterNode: boolean;
  readonly memory: {
    readonly usedBytes: number | undefined;
    /** 0: as much as there is. */
    readonly maxBytes: number | undefined;
    readonly policy: string | undefined;
  };
  readonly persistence: {
    readonly isAppendOnly: boolean | undefined;
    /** As in its configuration; empty: it writes no file by itself. */
    readonly save: string | undefined;
  };
  readonly replicas: readonly ReplicaFacts[];
  /** Keys that aren't Brume's, of those that were looked at. */
  readonly foreignKeys: readonly string[];
  /** Numbers of other databases in which there are keys. */
  readonly otherDatabases: readonly string[];
  /** Names, or addresses, of clients that aren't Brume's, Sentinels or replicas. */
  readonly otherClients: readonly string[];
}

interface ReplicaFacts {
  readonly place: string;
  readonly state: string;
  /** Since it was heard of. */
  readonly lagSeconds: number;
  readonly behindBytes: number;
}

/** So many keys are looked at, some hundreds at a time: enough to meet another user of the same Redis. */
const SCANS_MAX = 20;
const SCAN_COUNT = 500;

export async function serverFacts(client: Redis, database: number): Promise<ServerFacts> {
  const info = infoFields((await allowed(client.info())) ?? '');
  const number = (name: string) => (info.has(name) ? Number(info.get(name)) : undefined);
  const save = await allowed(client.config('GET', 'save'));
  const isValkey = info.get('server_name') === 'valkey';
  const version = isValkey ? info.get('valkey_version') : info.get('redis_version');
  return {
    version: `${isValkey ? 'Valkey' : 'Redis'} ${version ?? 'of unknown version'}`,
    role: info.get('role'),
    isClusterNode: info.get('cluster_enabled') === '1',
    memory: {
      usedBytes: number('used_memory'),
      maxBytes: number('maxmemory'),
      policy: info.get('maxmemory_policy'),
    },
    persistence: {
      isAppendOnly: info.has('aof_enabled') ? info.get('aof_enabled') === '1' : undefined,
      save: Array.isArray(save) && save.length === 2 ? String(save[1]) : undefined,
    },
    replicas: replicasOf(info),
    foreignKeys: await foreignKeys(client),
    otherDatabases: [...info.keys()].flatMap((name) => {
      const other = /^db(\d+)$/.exec(name)?.[1];
      return other === undefined || Number(other) === database ? [] : [other];
    }),
    otherClients: otherClients((await allowed(client.client('LIST'))) ?? ''),
  };
}

/** `slave0:ip=10.0.0.2,port=6379,state=online,offset=123,lag=0` */
function replicasOf(info: ReadonlyMap<string, string>): ReplicaFacts[] {
  const offset = Number(info.get('master_repl_offset'));
  return [...info].flatMap(([name, value]) => {
    if (!/^slave\d+$/.test(name)) return [];
    const fields = new Map(value.split(',').map((pair) => pair.split('=') as [string, string]));
    return [
      {
        place: `${fields.get('ip')}:${fields.get('port')}`,
        state: fields.get('state') ?? 'unknown',
        lagSeconds: Number(fields.get('lag')),
        behindBytes: Math.max(0, offset - Number(fields.get('offset'))),
      },
    ];
  });
}

async function foreignKeys(client: Redis): Promise<string[]> {
  const foreign = new Set<string>();
  let cursor = '0';
  for (let scan = 0; scan < SCANS_MAX; scan++) {
    const found = await allowed(client.scan(cursor, 'COUNT', SCAN_COUNT));
    if (found === undefined) break;
    for (const key of found[1]) if (!/^\{(p\d+|brume)\}/.test(key)) foreign.add(key);
    [cursor] = found;
    if (cursor === '0') break;
  }
  return [...foreign];
}

/** Of CLIENT LIST. Replicas and masters have an S or an M among their flags; Sentinels call themselves so. */
function otherClients(list: unknown): string[] {
  return String(list)
    .split('\n')
    .flatMap((line) => {
      const fields = new Map(line.split(' ').map((pair) => pair.split(/=(.*)/s, 2) as [string, string]));
      const [name = '', flags = ''] = [fields.get('name'), fields.get('flags')];
      if (line.trim() === '' || /[SM]/.test(flags) || name === 'brume' || name.startsWith('sentinel-'))
        return [];
      return [name === '' ? (fields.get('addr') ?? 'unknown') : name];
    });
}

/** Undefined where the user may not, or the server has no such command. */
async function allowed<Reply>(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return undefined;
    throw error;
  }
}
