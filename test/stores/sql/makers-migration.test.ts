import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import { carriedMigrations } from '../../../src/stores/sql/migration-file.ts';
import { openSqlEngine, SQL_DIALECTS } from '../../support/sql-engines.ts';

const USERS = [
  ['usr_member', 0],
  ['usr_removed', 0],
  ['usr_disabled', 1],
] as const;
/** Who made it, and whether it goes on. */
const TOKENS = [
  ['mt_member', 'usr_member', true],
  ['mt_removed', 'usr_removed', false],
  ['mt_disabled', 'usr_disabled', false],
  ['mt_machine', null, true],
] as const;

for (const dialect of SQL_DIALECTS) {
  test(`tokens whose maker was removed or disabled before 0008 do not come back, in ${dialect}`, async (t) => {
    const engine = await openSqlEngine(dialect);
    t.after(() => engine.close());
    const { sql } = engine;
    await migrate(sql, { migrations: carriedMigrations().filter(({ version }) => version < 8) });
    await sql.transaction(async (transaction) => {
      for (const [id, isDisabled] of USERS) {
        await transaction.run(
          'insert into users (id, login, is_disabled, created_at, updated_at) values (?1, ?1, ?2, 1, 1)',
          [id, isDisabled],
        );
      }
      for (const id of ['usr_member', 'usr_disabled']) {
        await transaction.run(
          `insert into members (organisation_id, user_id, role, created_at, updated_at)
           values ('org_default', ?1, 'owner', 1, 1)`,
          [id],
        );
      }
      for (const [at, [id, madeBy]] of TOKENS.entries()) {
        await transaction.run(
          `insert into management_tokens (id, organisation_id, name, role, sha256, prefix, made_by, created_at,
             expires_at)
           values (?1, 'org_default', 'ci', 'owner', ?2, 'p', ?3, 1, 2)`,
          [id, String(at).padStart(64, '0'), madeBy],
        );
      }
      await transaction.run(
        `insert into invitations (sha256, user_id, created_at, expires_at) values (?1, 'usr_member', 1, 2)`,
        ['f'.repeat(64)],
      );
    });
    await migrate(sql);
    const rows = await sql.all('select id, revoked_at from management_tokens order by id');
    const goesOn = new Map(rows.map(({ id, revoked_at: revokedAt }) => [id, revokedAt === null]));
    for (const [id, , isGood] of TOKENS) assert.equal(goesOn.get(id), isGood, id);
    assert.equal((await sql.all('select made_by from invitations'))[0]?.made_by, null);
  });
}
