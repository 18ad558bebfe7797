import type { Kind } from './kind.ts';
import { unreadableUrl, urlKind } from './store-url.ts';

/** Where a Redis is: one server over TCP or TLS, a Unix socket, a master that Sentinels know, or a cluster. */
export function redisUrl(): Kind<string> {
  const expected =
    'a URL such as redis://redis.internal:6379/0, rediss://redis.internal:6380, unix:///run/redis/redis.sock, redis+sentinel://sentinel-1:26379,sentinel-2:26379/mymaster/0 or redis+cluster://node-1:6379,node-2:6379';
  return urlKind('redis', expected, (text) => {
    const scheme = /^(unix|rediss?(?:\+sentinel|\+cluster)?):\/\//.exec(text)?.[1];
    if (scheme === undefined) return `does not begin with ${SCHEMES.join(', ')} or unix://`;
    const [bare = '', behind = ''] = /^([^?#]*)(.*)$/s.exec(text)?.slice(1) ?? [];
    if (behind !== '' && !(scheme === 'unix' && /^\?db=[0-9]+$/.test(behind)))
      return behindFault(text, scheme, behind);
    if (scheme === 'unix')
      return /^unix:\/\/\/.*[^/]$/.test(bare) ? undefined : 'has no absolute socket path after unix://';
    if (scheme.endsWith('+sentinel')) return sentinelFault(text);
    if (scheme.endsWith('+cluster')) return clusterFault(text);
    if (!URL.canParse(text)) return unreadableUrl(text);
    const { hostname, pathname } = new URL(text);
    if (hostname === '') return 'has no host';
    return /^(\/[0-9]*)?$/.test(pathname) ? undefined : 'has a path that is not the number of a database';
  });
}

/** Of a query or a fragment, which nobody would read. Only names are shown: what follows may be secret. */
function behindFault(text: string, scheme: string, behind: string): string {
  // A password with ? or # in it looks the same.
  if (behind.includes('@')) return unreadableUrl(text);
  if (behind.startsWith('#'))
    return 'has a fragment (#…), which means nothing here: a # itself is written %23';
  const [, name = ''] = /^\?([A-Za-z_-]{1,20})=/.exec(behind) ?? [];
  const query = `has a query (?${name === '' ? '' : `${name}=`}…)`;
  if (/^(ssl|tls)/i.test(name) && scheme !== 'unix')
    return `${query}, which asks for nothing: TLS is asked for by ${scheme.replace(/^rediss?/, 'rediss')}://`;
  if (scheme === 'unix')
    return `${query} other than the number of a database, as in unix:///run/redis/redis.sock?db=3`;
  if (scheme.endsWith('+cluster'))
    return /^(db|database)$/i.test(name)
      ? `${query} with the number of a database, and a cluster has only one`
      : `${query}, and ends behind its hosts`;
  const example = scheme.endsWith('+sentinel') ? 'sentinel-1:26379/mymaster/3' : 'redis.internal:6379/3';
  return `${query}, which means nothing here: the number of a database is its path, as in ${scheme}://${example}`;
}

const SCHEMES = ['redis', 'redis+sentinel', 'redis+cluster'].flatMap((scheme) => [
  `${scheme}://`,
  `${scheme.replace('redis', 'rediss')}://`,
]);

/** `redis+cluster://[user:password@]host[:port][,host[:port]…]` */
function clusterFault(text: string): string | undefined {
  const [, login, hosts = '', path = ''] =
    /^rediss?\+cluster:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(\/[^@?#]*)?$/.exec(text) ?? [];
  if (hosts === '') return text.includes('@') ? unreadableUrl(text) : 'has no host';
  if (login !== undefined && !/^[^:]*(:[^:]*)?$/.test(login)) return unreadableUrl(text);
  if (!hosts.split(',').every((host) => URL.canParse(`redis://${host}`) && host !== ''))
    return 'has a node that is not HOST or HOST:PORT (an IPv6 address in brackets)';
  return path === '' || path === '/' ? undefined : 'has the number of a database, and a cluster has only one';
}

/** `redis+sentinel://[user:password@]host[:port][,host[:port]…]/MASTER[/DB]` */
function sentinelFault(text: string): string | undefined {
  const [, login, hosts = '', path = ''] =
    /^rediss?\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(\/[^@?#]*)?$/.exec(text) ?? [];
  if (hosts === '') return text.includes('@') ? unreadableUrl(text) : 'has no host';
  if (login !== undefined && !/^[^:]*(:[^:]*)?$/.test(login)) return unreadableUrl(text);
  // One at a time: a URL as such has one host only.
  if (!hosts.split(',').every((host) => URL.canParse(`redis://${host}`) && host !== ''))
    return 'has a Sentinel that is not HOST or HOST:PORT (an IPv6 address in brackets)';
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
