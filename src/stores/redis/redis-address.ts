/** Where a Redis is, and what it asks for, as BRUME_REDIS_URL and the settings beside it say. */
export interface RedisAddress {
  readonly place: RedisPlace;
  readonly login: RedisLogin;
  /** The number of the database; 0 in a cluster. */
  readonly database: number;
}

export type RedisPlace =
  | { readonly kind: 'single'; readonly server: ServerPlace }
  /** Some of its nodes, from which the others are learnt. */
  | { readonly kind: 'cluster'; readonly nodes: readonly RedisEndpoint[] }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly RedisEndpoint[];
      /** The name by which they know the master. */
      readonly master: string;
      readonly sentinelLogin: RedisLogin;
    };

/** Where one server listens. */
export type ServerPlace = RedisEndpoint | { readonly path: string };

export interface RedisEndpoint {
  readonly host: string;
  readonly port: number;
}

/** How a server lets one in. */
export interface RedisLogin {
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Undefined: without TLS. */
  readonly tls: RedisTls | undefined;
}

/** Texts in PEM. */
interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** What is said of a Redis beside its URL. */
export interface RedisAccess {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Used where the URL asks for TLS. */
  readonly tls?: RedisTls;
  readonly sentinel?: {
    readonly username: string | undefined;
    readonly password: string | undefined;
    readonly tls: 'same' | 'on' | 'off';
  };
}

const PORT = 6379;
const SENTINEL_PORT = 26_379;

/**
 * Of `redis://[user[:password]@]host[:port][/db]`, `rediss://…` (TLS), `unix:///path[?db=N]`,
 * `redis+sentinel://[user[:password]@]host[:port][,host[:port]…]/MASTER[/db]` and `rediss+sentinel://…`,
 * `redis+cluster://[user[:password]@]host[:port][,host[:port]…]` and `rediss+cluster://…`.
 */
export function redisAddressOf(url: string, access: RedisAccess = {}): RedisAddress {
  if (/^rediss?\+sentinel:/.test(url)) return sentinelAddressOf(url, access);
  if (isClusterUrl(url)) return clusterAddressOf(url, access);
  const { protocol, username, password, pathname, searchParams } = new URL(url);
  const isSocket = protocol === 'unix:';
  return {
    place: {
      kind: 'single',
      server: isSocket ? { path: decodeURIComponent(pathname) } : endpointOf(url, PORT),
    },
    login: loginOf({ username, password, isTls: protocol === 'rediss:' }, access),
    database: Number((isSocket ? searchParams.get('db') : pathname.slice(1)) || 0),
  };
}

function isClusterUrl(url: string): boolean {
  return /^rediss?\+cluster:/.test(url);
}

/** `host:port`, or the path of a socket: for logs, and to compare places by. */
export function placeText(place: ServerPlace): string {
  if ('path' in place) return place.path;
  return place.host.includes(':') ? `[${place.host}]:${place.port}` : `${place.host}:${place.port}`;
}

function sentinelAddressOf(url: string, access: RedisAccess): RedisAddress {
  const [, scheme, userinfo, hosts, master, database] =
    /^(rediss?)\+sentinel:\/\/(?:([^@]*)@)?([^/]+)\/([^/]+)(?:\/(\d*))?$/.exec(url) ?? [];
  if (hosts === undefined || master === undefined) throw new TypeError('no URL of Sentinels');
  const { username, password } = userOf(userinfo);
  const isTls = scheme === 'rediss';
  const { tls = {}, sentinel } = access;
  const areSentinelsTls = sentinel === undefined || sentinel.tls === 'same' ? isTls : sentinel.tls === 'on';
  return {
    place: {
      kind: 'sentinel',
      sentinels: hosts.split(',').map((host) => endpointOf(`redis://${host}`, SENTINEL_PORT)),
      master,
      sentinelLogin: {
        username: sentinel?.username,
        password: sentinel?.password,
        tls: areSentinelsTls ? tls : undefined,
      },
    },
    login: loginOf({ username, password, isTls }, access),
    database: Number(database || 0),
  };
}

function clusterAddressOf(url: string, access: RedisAccess): RedisAddress {
  const [, scheme, userinfo, hosts] = /^(rediss?)\+cluster:\/\/(?:([^@]*)@)?([^/]+)\/?$/.exec(url) ?? [];
  if (hosts === undefined) throw new TypeError('no URL of a cluster');
  return {
    place: {
      kind: 'cluster',
      nodes: hosts.split(',').map((host) => endpointOf(`redis://${host}`, PORT)),
    },
    login: loginOf({ ...userOf(userinfo), isTls: scheme === 'rediss' }, access),
    database: 0,
  };
}

function userOf(userinfo: string | undefined): { username: string; password: string } {
  const { username, password } = new URL(`redis://${userinfo === undefined ? '' : `${userinfo}@`}host`);
  return { username, password };
}

function loginOf(
  { username, password, isTls }: { username: string; password: string; isTls: boolean },
  access: RedisAccess,
): RedisLogin {
  return {
    username: username === '' ? access.username : decodeURIComponent(username),
    password: password === '' ? access.password : decodeURIComponent(password),
    tls: isTls ? (access.tls ?? {}) : undefined,
  };
}

function endpointOf(url: string, port: number): RedisEndpoint {
  const found = new URL(url);
  return { host: found.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(found.port || port) };
}
