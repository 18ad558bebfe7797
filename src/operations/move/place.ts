/** Host, port and name of a database: what may be shown. */
export function placeOf(databaseUrl: string): string {
  const { hostname, port, pathname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? hostname;
  return `${host}:${searchParams.get('port') ?? (port || '5432')}${pathname}`;
}
