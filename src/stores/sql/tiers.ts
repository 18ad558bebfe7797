import { BrumeError } from '../../errors/catalogue.ts';
import type { Tier } from '../../tenancy/tier.ts';
import { integerOf, textOf } from './row.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

const COLUMNS = 'id, name, calls_per_day, version, created_at, updated_at';

/** By name. */
export async function selectTiers(sql: Reader): Promise<Tier[]> {
  const rows = await sql.all(`select ${COLUMNS} from tiers order by name`);
  return rows.map(tierOf);
}

/** An id goes before a name. */
export async function selectTier(sql: Reader, idOrName: string): Promise<Tier | undefined> {
  const rows = await sql.all(
    `select ${COLUMNS} from tiers
     where id = ?1 or name = ?1
     order by case when id = ?1 then 0 else 1 end
     limit 1`,
    [idOrName],
  );
  return rows.map(tierOf)[0];
}

/** By its id. Rejects with `unknown_tier`. */
export async function requireTier(sql: Reader, id: string): Promise<Tier> {
  const tier = await selectTier(sql, id);
  if (tier?.id !== id) throw new BrumeError('unknown_tier');
  return tier;
}

/** Rejects with `conflict` if the name is taken. */
export async function insertTier(
  transaction: SqlTransaction,
  { id, name, callsPerDay, version, createdAtMs, updatedAtMs }: Tier,
): Promise<void> {
  await transaction.run(
    `insert into tiers (id, name, calls_per_day, version, created_at, updated_at)
     values (?1, ?2, ?3, ?4, ?5, ?6)`,
    [id, name, callsPerDay, version, createdAtMs, updatedAtMs],
  );
}

/** Rejects with `conflict` if the name is taken. */
export async function updateTier(
  transaction: SqlTransaction,
  { id, name, callsPerDay, version, updatedAtMs }: Tier,
): Promise<void> {
  await transaction.run(
    'update tiers set name = ?2, calls_per_day = ?3, version = ?4, updated_at = ?5 where id = ?1',
    [id, name, callsPerDay, version, updatedAtMs],
  );
}

export async function deleteTier(transaction: SqlTransaction, id: string): Promise<void> {
  await transaction.run('delete from tiers where id = ?1', [id]);
}

/** Marks the projects that have it as changed, so that the nodes read them anew. */
export async function setRevisionOfProjectsWith(
  transaction: SqlTransaction,
  tierId: string,
  revision: number,
): Promise<void> {
  await transaction.run('update projects set revision = ?2 where tier_id = ?1', [tierId, revision]);
}

export async function countProjectsWith(sql: Reader, tierId: string): Promise<number> {
  const [row] = await sql.all('select count(*) as projects from projects where tier_id = ?1', [tierId]);
  return row === undefined ? 0 : integerOf(row, 'projects');
}

/** The ceilings of those projects that have one and changed after a revision, by project. */
export async function selectBudgetsChangedAfter(sql: Reader, revision: number): Promise<Map<string, number>> {
  const rows = await sql.all(
    `select p.id, t.calls_per_day from projects p join tiers t on t.id = p.tier_id where p.revision > ?1`,
    [revision],
  );
  return new Map(rows.map((row) => [textOf(row, 'id'), integerOf(row, 'calls_per_day')]));
}

function tierOf(row: Row): Tier {
  return {
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    callsPerDay: integerOf(row, 'calls_per_day'),
    version: integerOf(row, 'version'),
    createdAtMs: integerOf(row, 'created_at'),
    updatedAtMs: integerOf(row, 'updated_at'),
  };
}
