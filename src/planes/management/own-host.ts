import { isIP } from 'node:net';

/**
 * Whether a Host header names this plane by what no stranger can have in the public DNS: an address,
 * localhost, a name without a dot, or the host of the plane's own URL. HTTP/1.0 may go without one; no
 * browser does.
 */
export function isOwnHost(header: string | undefined, ownUrl: string): boolean {
  if (header === undefined) return true;
  const name = hostName(header);
  if (name === undefined) return false;
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  return name.endsWith('.localhost') || !name.includes('.') || name === new URL(ownUrl).hostname;
}

/** Lower case, without port and without the dot of the root; undefined for what is no host. */
function hostName(header: string): string | undefined {
  const [, name] = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]*)?$/.exec(header) ?? [];
  return name?.toLowerCase().replace(/\.$/, '') || undefined;
}
