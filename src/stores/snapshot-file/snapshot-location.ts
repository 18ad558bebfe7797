import { join } from 'node:path';

/** Where a node keeps its snapshot. */
export function snapshotPathIn(stateDir: string): string {
  return join(stateDir, 'snapshot.brume');
}

/** Host, port and name of a database: what a changed user or password leaves as it is. */
export function databaseOf(databaseUrl: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? hostname;
  const name = decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username);
  return `${host}:${searchParams.get('port') ?? (port || '5432')}/${name}`;
}
