const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** `{p17}KEY`, under one of 1,024 partition tags. */
export function stateKey(key: string): string {
  return `${tagOf(key)}${key}`;
}

/** Where the leases of an identifier stand. */
export function leasesKey(key: string): string {
  return `${stateKey(key)}:leases`;
}

/** How many partition tags there are. */
export const PARTITIONS = 1024;

/** The first ten bits of the hashed key. */
export function tagOf(key: string): string {
  return partitionTag((BASE64URL.indexOf(key.charAt(0)) * 64 + BASE64URL.indexOf(key.charAt(1))) >> 2);
}

export function partitionTag(partition: number): string {
  return `{p${partition}}`;
}
