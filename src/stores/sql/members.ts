import type { Member, Organisation } from '../../tenancy/organisation.ts';
import { ROLES, type Role } from '../../tenancy/role.ts';
import { ORGANISATION_COLUMNS, organisationOf } from './organisations.ts';
import { choiceOf, integerOf, textOf } from './row.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;
type Place = Pick<Member, 'organisationId' | 'userId'>;

const COLUMNS = 'm.organisation_id, m.user_id, u.login, m.role, m.created_at, m.updated_at';

/** By login. */
export async function selectMembers(sql: Reader, organisationId: string): Promise<Member[]> {
  const rows = await sql.all(
    `select ${COLUMNS} from members m join users u on u.id = m.user_id
     where m.organisation_id = ?1
     order by u.login`,
    [organisationId],
  );
  return rows.map(memberOf);
}

export async function selectMember(
  sql: Reader,
  { organisationId, userId }: Place,
): Promise<Member | undefined> {
  const rows = await sql.all(
    `select ${COLUMNS} from members m join users u on u.id = m.user_id
     where m.organisation_id = ?1 and m.user_id = ?2`,
    [organisationId, userId],
  );
  return rows.map(memberOf)[0];
}

/** Undefined for who is no member, or disabled. */
export async function selectRole(sql: Reader, { organisationId, userId }: Place): Promise<Role | undefined> {
  const rows = await sql.all(
    `select m.role from members m join users u on u.id = m.user_id
     where m.organisation_id = ?1 and m.user_id = ?2 and u.is_disabled = 0`,
    [organisationId, userId],
  );
  return rows.map((row) => choiceOf(row, 'role', ROLES))[0];
}

/** By name, with the user's role in each. */
export async function selectOrganisationsOf(
  sql: Reader,
  userId: string,
): Promise<(Organisation & { readonly role: Role })[]> {
  const rows = await sql.all(
    `select ${ORGANISATION_COLUMNS}, m.role from members m join organisations o on o.id = m.organisation_id
     where m.user_id = ?1
     order by o.name`,
    [userId],
  );
  return rows.map((row) => ({ ...organisationOf(row), role: choiceOf(row, 'role', ROLES) }));
}

/** The organisations, by name, in which nobody but this user is an owner who is not disabled. */
export async function selectOrganisationsOwnedAlone(sql: Reader, userId: string): Promise<string[]> {
  const rows = await sql.all(
    `select o.name from members m
     join users u on u.id = m.user_id
     join organisations o on o.id = m.organisation_id
     where m.user_id = ?1 and m.role = 'owner' and u.is_disabled = 0 and not exists (
       select 1 from members m2 join users u2 on u2.id = m2.user_id
       where m2.organisation_id = m.organisation_id and m2.user_id <> ?1
         and m2.role = 'owner' and u2.is_disabled = 0)
     order by o.name`,
    [userId],
  );
  return rows.map((row) => textOf(row, 'name'));
}

export async function upsertMember(
  transaction: SqlTransaction,
  { organisationId, userId, role, createdAtMs, updatedAtMs }: Omit<Member, 'login'>,
): Promise<void> {
  await transaction.run(
    `insert into members (organisation_id, user_id, role, created_at, updated_at)
     values (?1, ?2, ?3, ?4, ?5)
     on conflict (organisation_id, user_id) do update set role = excluded.role, updated_at = excluded.updated_at`,
    [organisationId, userId, role, createdAtMs, updatedAtMs],
  );
}

export async function deleteMember(
  transaction: SqlTransaction,
  { organisationId, userId }: Place,
): Promise<void> {
  await transaction.run('delete from members where organisation_id = ?1 and user_id = ?2', [
    organisationId,
    userId,
  ]);
}

function memberOf(row: Row): Member {
  return {
    organisationId: textOf(row, 'organisation_id'),
    userId: textOf(row, 'user_id'),
    login: textOf(row, 'login'),
    role: choiceOf(row, 'role', ROLES),
    createdAtMs: integerOf(row, 'created_at'),
    updatedAtMs: integerOf(row, 'updated_at'),
  };
}
