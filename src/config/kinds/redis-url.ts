import type { Kind } from './kind.ts';
import { NOT_A_URL, urlKind } from './store-url.ts';

/** Where a Redis is: one server over TCP or TLS, a Unix socket, a master that Sentinels know, or a cluster. */
export function redisUrl(): Kind<string> {
  const expected =
    'a URL such as redis://redis.internal:6379/0, rediss://redis.internal:6380, unix:///run/redis/redis.sock, redis+sentinel://sentinel-1:26379,sentinel-2:26379/mymaster/0 or redis+cluster://node-1:6379,node-2:6379';
  return urlKind('redis', expected, (text) => {
    if (text.startsWith('unix://')) {
      return /^unix:\/\/\/[^?#]*[^?#/](\?db=[0-9]+)?$/.test(text)
        ? undefined
        : 'has no absolute socket path after unix://';
    }
    if (/^rediss?\+sentinel:\/\//.test(text)) return sentinelFault(text);
    if (/^rediss?\+cluster:\/\//.test(text)) return clusterFault(text);
    if (!/^rediss?:\/\//.test(text)) return `does not begin with ${SCHEMES.join(', ')} or unix://`;
    if (!URL.canParse(text)) return NOT_A_URL;
    const { hostname, pathname } = new URL(text);
    if (hostname === '') return 'has no host';
    return /^(\/[0-9]*)?$/.test(pathname) ? undefined : 'has a path that is not the number of a database';
  });
}

const SCHEMES = ['redis', 'redis+sentinel', 'redis+cluster'].flatMap((scheme) => [
  `${scheme}://`,
  `${scheme.replace('redis', 'rediss')}://`,
]);

/** `redis+cluster://[user:password@]host[:port][,host[:port]…]` */
function clusterFault(text: string): string | undefined {
  const [, login, hosts = '', path = ''] =
    /^rediss?\+cluster:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(\/[^@?#]*)?$/.exec(text) ?? [];
  if (hosts === '') return text.includes('@') ? NOT_A_URL : 'has no host';
  if (login !== undefined && !/^[^:]*(:[^:]*)?$/.test(login)) return NOT_A_URL;
  if (!hosts.split(',').every((host) => URL.canParse(`redis://${host}`) && host !== ''))
    return 'has a node that is not HOST or HOST:PORT';
  return path === '' || path === '/' ? undefined : 'has the number of a database, and a cluster has only one';
}

/** `redis+sentinel://[user:password@]host[:port][,host[:port]…]/MASTER[/DB]` */
function sentinelFault(text: string): string | undefined {
  const [, login, hosts = '', path = ''] =
    /^rediss?\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(\/[^@?#]*)?$/.exec(text) ?? [];
  if (hosts === '') return text.includes('@') ? NOT_A_URL : 'has no host';
  if (login !== undefined && !/^[^:]*(:[^:]*)?$/.test(login)) return NOT_A_URL;
  // One at a time: a URL as such has one host only.
  if (!hosts.split(',').every((host) => URL.canParse(`redis://${host}`) && host !== ''))
    return 'has a Sentinel that is not HOST or HOST:PORT';
  const [, master, database, ...rest] = path.split('/');
  if (master === undefined || !/^[A-Za-z0-9._-]+$/.test(master))
    return 'has no name of a master after its hosts, as in redis+sentinel://sentinel-1:26379/mymaster';
  if (rest.length > 0 || !/^[0-9]*$/.test(database ?? ''))
    return 'has something else than the number of a database behind the name of the master';
  return undefined;
}

/** A user or a password of Redis. Its faults never show it. */
export function redisWord(what: 'user' | 'password'): Kind<string> {
  return {
    expected: `a ${what} without ${what === 'user' ? 'blanks and ' : ''}control characters`,
    schema: { type: 'string', format: `brume-redis-${what}` },
    fault: (text) => {
      if (/\p{Cc}/u.test(text)) return 'it contains control characters';
      return what === 'user' && /\s/.test(text) ? 'it contains blanks' : undefined;
    },
    value: String,
  };
}
