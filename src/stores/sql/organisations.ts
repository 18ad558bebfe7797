import { BrumeError } from '../../errors/catalogue.ts';
import type { Organisation } from '../../tenancy/organisation.ts';
import { integerOf, textOf } from './row.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

export const ORGANISATION_COLUMNS = 'o.id, o.name, o.version, o.created_at, o.updated_at';

/** By name. */
export async function selectOrganisations(sql: Reader): Promise<Organisation[]> {
  const rows = await sql.all(`select ${ORGANISATION_COLUMNS} from organisations o order by o.name`);
  return rows.map(organisationOf);
}

/** An id goes before a name. */
export async function selectOrganisation(sql: Reader, idOrName: string): Promise<Organisation | undefined> {
  const rows = await sql.all(
    `select ${ORGANISATION_COLUMNS} from organisations o
     where o.id = ?1 or o.name = ?1
     order by case when o.id = ?1 then 0 else 1 end
     limit 1`,
    [idOrName],
  );
  return rows.map(organisationOf)[0];
}

/** By its id. Rejects with `unknown_organisation`. */
export async function requireOrganisation(sql: Reader, id: string): Promise<Organisation> {
  const organisation = await selectOrganisation(sql, id);
  if (organisation?.id !== id) throw new BrumeError('unknown_organisation');
  return organisation;
}

/** Rejects with `conflict` if the name is taken. */
export async function insertOrganisation(
  transaction: SqlTransaction,
  { id, name, version, createdAtMs, updatedAtMs }: Organisation,
): Promise<void> {
  await transaction.run(
    'insert into organisations (id, name, version, created_at, updated_at) values (?1, ?2, ?3, ?4, ?5)',
    [id, name, version, createdAtMs, updatedAtMs],
  );
}

/** Rejects with `conflict` if the name is taken. */
export async function updateOrganisation(
  transaction: SqlTransaction,
  { id, name, version, updatedAtMs }: Organisation,
): Promise<void> {
  await transaction.run('update organisations set name = ?2, version = ?3, updated_at = ?4 where id = ?1', [
    id,
    name,
    version,
    updatedAtMs,
  ]);
}

/** Takes members and tokens with it. It must have no projects. */
export async function deleteOrganisation(transaction: SqlTransaction, id: string): Promise<void> {
  await transaction.run('delete from organisations where id = ?1', [id]);
}

export async function countProjectsOf(sql: Reader, organisationId: string): Promise<number> {
  const [row] = await sql.all('select count(*) as projects from projects where organisation_id = ?1', [
    organisationId,
  ]);
  return row === undefined ? 0 : integerOf(row, 'projects');
}

export function organisationOf(row: Row): Organisation {
  return {
    id: textOf(row, 'id'),
    name: textOf(row, 'name'),
    version: integerOf(row, 'version'),
    createdAtMs: integerOf(row, 'created_at'),
    updatedAtMs: integerOf(row, 'updated_at'),
  };
}
