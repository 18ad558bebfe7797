/** Where a Redis is, and what it asks for, as BRUME_REDIS_URL says it. */
export interface RedisAddress {
  readonly place: RedisPlace;
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The number of the database; 0 in a cluster. */
  readonly database: number;
}

type RedisPlace =
  | { readonly kind: 'single'; readonly endpoint: RedisEndpoint }
  | { readonly kind: 'socket'; readonly path: string };

export interface RedisEndpoint {
  readonly host: string;
  readonly port: number;
}

const PORT = 6379;

/** Of `redis://[user[:password]@]host[:port][/db]`, `rediss://…` (TLS), `unix:///path[?db=N]`. */
export function redisAddressOf(url: string): RedisAddress {
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(url);
  const isSocket = protocol === 'unix:';
  return {
    place: isSocket
      ? { kind: 'socket', path: decodeURIComponent(pathname) }
      : { kind: 'single', endpoint: { host: unbracketed(hostname), port: Number(port || PORT) } },
    isTls: protocol === 'rediss:',
    username: username === '' ? undefined : decodeURIComponent(username),
    password: password === '' ? undefined : decodeURIComponent(password),
    database: Number((isSocket ? searchParams.get('db') : pathname.slice(1)) || 0),
  };
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
