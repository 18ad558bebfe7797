import { BrumeError } from '../../errors/catalogue.ts';
import type { User } from '../../tenancy/user.ts';
import { integerOf, textOf, textOrNullOf } from './row.ts';
import type { Row, SqlExecutor, SqlTransaction } from './sql.ts';

type Reader = Pick<SqlExecutor, 'all'>;

const COLUMNS = `u.id, u.login, case when u.password_hash is null then 0 else 1 end as has_password,
  u.is_disabled, u.created_at, u.updated_at`;

/** By login. */
export async function selectUsers(sql: Reader): Promise<User[]> {
  const rows = await sql.all(`select ${COLUMNS} from users u order by u.login`);
  return rows.map(userOf);
}

/** An id goes before a login. */
export async function selectUser(sql: Reader, idOrLogin: string): Promise<User | undefined> {
  const rows = await sql.all(
    `select ${COLUMNS} from users u
     where u.id = ?1 or u.login = ?1
     order by case when u.id = ?1 then 0 else 1 end
     limit 1`,
    [idOrLogin],
  );
  return rows.map(userOf)[0];
}

/** By its id. Rejects with `unknown_user`. */
export async function requireUser(sql: Reader, id: string): Promise<User> {
  const user = await selectUser(sql, id);
  if (user?.id !== id) throw new BrumeError('unknown_user');
  return user;
}

export async function selectLogin(
  sql: Reader,
  login: string,
): Promise<(User & { readonly passwordHash: string | null }) | undefined> {
  const rows = await sql.all(`select ${COLUMNS}, u.password_hash from users u where u.login = ?1`, [login]);
  return rows.map((row) => ({ ...userOf(row), passwordHash: textOrNullOf(row, 'password_hash') }))[0];
}

export async function selectUserByIdentity(
  sql: Reader,
  issuer: string,
  subject: string,
): Promise<User | undefined> {
  const rows = await sql.all(
    `select ${COLUMNS} from identities i join users u on u.id = i.user_id
     where i.issuer = ?1 and i.subject = ?2`,
    [issuer, subject],
  );
  return rows.map(userOf)[0];
}

/** Rejects with `conflict` if the login is taken. */
export async function insertUser(
  transaction: SqlTransaction,
  { id, login, createdAtMs }: Pick<User, 'id' | 'login' | 'createdAtMs'>,
): Promise<void> {
  await transaction.run(
    'insert into users (id, login, is_disabled, created_at, updated_at) values (?1, ?2, 0, ?3, ?3)',
    [id, login, createdAtMs],
  );
}

export async function updateIsDisabled(
  transaction: SqlTransaction,
  { id, isDisabled, updatedAtMs }: Pick<User, 'id' | 'isDisabled' | 'updatedAtMs'>,
): Promise<void> {
  await transaction.run('update users set is_disabled = ?2, updated_at = ?3 where id = ?1', [
    id,
    isDisabled ? 1 : 0,
    updatedAtMs,
  ]);
}

export async function updatePassword(
  transaction: SqlTransaction,
  { id, updatedAtMs }: Pick<User, 'id' | 'updatedAtMs'>,
  passwordHash: string,
): Promise<void> {
  await transaction.run('update users set password_hash = ?2, updated_at = ?3 where id = ?1', [
    id,
    passwordHash,
    updatedAtMs,
  ]);
}

/** Only if it is still the one that it was; false if not. */
export async function replacePasswordHash(
  transaction: SqlTransaction,
  id: string,
  from: string,
  to: string,
): Promise<boolean> {
  const replaced = await transaction.run(
    'update users set password_hash = ?3 where id = ?1 and password_hash = ?2',
    [id, from, to],
  );
  return replaced === 1;
}

/** Takes identities, memberships, sessions, invitations and the tokens that it made with it. */
export async function deleteUser(transaction: SqlTransaction, id: string): Promise<void> {
  await transaction.run('delete from users where id = ?1', [id]);
}

function userOf(row: Row): User {
  return {
    id: textOf(row, 'id'),
    login: textOf(row, 'login'),
    hasPassword: integerOf(row, 'has_password') === 1,
    isDisabled: integerOf(row, 'is_disabled') === 1,
    createdAtMs: integerOf(row, 'created_at'),
    updatedAtMs: integerOf(row, 'updated_at'),
  };
}
