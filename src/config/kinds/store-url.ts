import type { Kind } from './kind.ts';

/** The URL of a PostgreSQL database. Its faults never show it: it may hold a password. */
export function databaseUrl(): Kind<string> {
  return urlKind('database', 'a URL such as postgres://brume@db.internal:5432/brume', (text) => {
    if (!/^postgres(ql)?:\/\//.test(text)) return 'does not begin with postgres:// or postgresql://';
    // Without a host only the query names a server: postgres:///brume?host=/run/postgresql
    if (!URL.canParse(text)) return unreadableUrl(text);
    const { hostname, searchParams } = new URL(text);
    if (hostname === '' && !searchParams.get('host')) return 'has no host';
    const sslMode = searchParams.get('sslmode');
    return sslMode === null || SSL_MODES.includes(sslMode)
      ? undefined
      : `has an sslmode that is none of ${SSL_MODES.join(', ')}`;
  });
}

/** Those that the driver knows; another it would pass over in silence. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

const NOT_A_URL = "can't be read: characters such as # / @ : % in a password must be percent-encoded";

/** What may be amiss with a URL that can't be read. */
export function unreadableUrl(text: string): string {
  const [, hosts = ''] = /^[^:]+:\/\/(?:[^@/]*@)?([^@/?#]*)/.exec(text) ?? [];
  return hosts.split(',').some(isBareIPv6)
    ? "can't be read: an IPv6 address stands in brackets, as in [::1]"
    : NOT_A_URL;
}

/** With or without a port behind it: which of the two can't be told. */
function isBareIPv6(host: string): boolean {
  return /^[0-9a-f]*(:[0-9a-f.]*){2,8}$/i.test(host);
}

export function urlKind(
  name: string,
  expected: string,
  fault: (text: string) => string | undefined,
): Kind<string> {
  return {
    expected,
    schema: { type: 'string', format: `brume-${name}-url` },
    fault: (text) => {
      const found = /[\s\p{Cc}]/u.test(text)
        ? 'contains blanks or control characters'
        : (fault(text) ?? escapeFault(text));
      return found === undefined ? undefined : `the URL ${found}`;
    },
    value: String,
  };
}

function escapeFault(text: string): string | undefined {
  try {
    decodeURIComponent(text);
    return undefined;
  } catch {
    return 'has a % that begins no percent-encoded UTF-8: a % itself is written %25';
  }
}
