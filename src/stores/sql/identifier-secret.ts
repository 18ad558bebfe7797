import { textOf } from './row.ts';
import type { SqlExecutor } from './sql.ts';

/** The installation's, which no migration ever changes; undefined if there is none yet. */
export async function findIdentifierSecret(sql: Pick<SqlExecutor, 'all'>): Promise<Uint8Array | undefined> {
  const [row] = await sql.all('select identifier_secret from installation where id = 1');
  return row === undefined ? undefined : Buffer.from(textOf(row, 'identifier_secret'), 'hex');
}
