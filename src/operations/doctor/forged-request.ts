import http from 'node:http';
import https from 'node:https';
import { BlockList, connect, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const TIMEOUT_MS = 5000;

/** Headers in which proxies, and what stands behind them, may look for the client's address. */
const FORGED_HEADERS = {
  'X-Forwarded-For': (address: string) => address,
  Forwarded: (address: string) => `for=${address}`,
  'X-Real-IP': (address: string) => address,
  'X-Client-IP': (address: string) => address,
  'True-Client-IP': (address: string) => address,
  'CF-Connecting-IP': (address: string) => address,
} as const;

export type ForgedHeader = keyof typeof FORGED_HEADERS;

/** Which address each header claims: one that nobody has, and each another one. */
export type Claims = Readonly<Record<ForgedHeader, string>>;

/** Of RFC 5737: nobody's addresses, so that nothing else is counted for them. */
const NOBODYS = ['192.0.2', '198.51.100', '203.0.113'];

/**
 * Addresses of one network that is neither this machine's, as in a laboratory, nor the proxies', whose word would
 * count. Undefined: there is none.
 */
export function claims(own: string, trusted: readonly string[]): Claims | undefined {
  const headers = Object.keys(FORGED_HEADERS) as ForgedHeader[];
  const free = NOBODYS.filter(
    (network) => !own.startsWith(`${network}.`) && !trusted.some((cidr) => isNear(cidr, network)),
  );
  const network = free[Math.floor(Math.random() * free.length)];
  if (network === undefined) return undefined;
  const first = 1 + Math.floor(Math.random() * (254 - headers.length));
  return Object.fromEntries(headers.map((header, at) => [header, `${network}.${first + at}`])) as Record<
    ForgedHeader,
    string
  >;
}

/** They have addresses in common. */
function isNear(cidr: string, network: string): boolean {
  return cidr.startsWith(`${network}.`) || isAmong([cidr], `${network}.1`);
}

/** Networks in CIDR notation as a list to ask. */
function isAmong(networks: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [start = '', prefix = ''] = network.split('/');
    list.addSubnet(start, Number(prefix), isIPv4(start) ? 'ipv4' : 'ipv6');
  }
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/**
 * The address by which this machine comes to a host, or another one of its own that is not in `trusted`,
 * whose word would count. Undefined: it has none. Rejects where the host can't be reached.
 */
export async function ownAddress(url: URL, trusted: readonly string[]): Promise<string | undefined> {
  const usual = await usualAddress(url);
  if (!isAmong(trusted, usual)) return usual;
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0)
    .map(({ address }) => address)
    .find((address) => isIPv4(address) === isIPv4(usual) && !isAmong(trusted, address));
}

function usualAddress(url: URL): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostOf(url), port: portOf(url), timeout: TIMEOUT_MS });
    socket.once('connect', () => {
      const address = socket.localAddress ?? '';
      socket.destroy();
      resolve(address.replace(/^::ffff:/, ''));
    });
    socket.once('timeout', () => socket.destroy(new Error(`no connection within ${TIMEOUT_MS / 1000} s`)));
    socket.once('error', reject);
  });
}

/** Sends a GET that makes the claims, from one of this machine's addresses. Resolves with the status. */
export function sendForged(url: URL, claimed: Claims, localAddress: string): Promise<number> {
  const headers = Object.fromEntries(
    Object.entries(FORGED_HEADERS).map(([name, value]) => [name, value(claimed[name as ForgedHeader])]),
  );
  const options = {
    host: hostOf(url),
    port: portOf(url),
    path: url.pathname + url.search,
    headers: { host: url.host, 'user-agent': 'brume-doctor', ...headers },
    localAddress,
    agent: false,
    timeout: TIMEOUT_MS,
  } as const;
  return new Promise((resolve, reject) => {
    // Whoever answers in the proxy's place learns nothing: it is a test, and its address nobody's.
    const request =
      url.protocol === 'https:'
        ? https.request({ ...options, servername: isIP(url) ? '' : url.hostname, rejectUnauthorized: false })
        : http.request(options);
    request.on('response', (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    request.on('error', reject);
    request.end();
  });
}

function isIP(url: URL): boolean {
  const host = hostOf(url);
  return isIPv4(host) || isIPv6(host);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
