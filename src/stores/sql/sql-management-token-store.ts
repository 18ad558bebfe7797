import { BrumeError } from '../../errors/catalogue.ts';
import { type Clock, systemClock } from '../../limiter/clock.ts';
import type { Actor } from '../../tenancy/actor.ts';
import type { ManagementToken, ManagementTokenStore } from '../../tenancy/management-token.ts';
import { isAtLeast } from '../../tenancy/role.ts';
import { deedOf } from './change.ts';
import { Changes, type ChangesOptions } from './changes.ts';
import {
  insertToken,
  selectToken,
  selectTokens,
  selectUsableToken,
  updateTokenRevoked,
  updateTokenUse,
} from './management-tokens.ts';
import { selectRole } from './members.ts';
import { requireOrganisation } from './organisations.ts';
import { randomId } from './random-id.ts';
import type { Sql, SqlTransaction } from './sql.ts';
import { requireUser } from './users.ts';

type NewToken = Parameters<ManagementTokenStore['createToken']>[0];

/** A use within so long of the one on record is not written. */
const USE_NOTED_EVERY_MS = 60_000;

/** Tokens of the management API in the database. */
export class SqlManagementTokenStore implements ManagementTokenStore {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #changes: Changes;

  constructor(sql: Sql, options: ChangesOptions = {}) {
    this.#sql = sql;
    this.#clock = options.clock ?? systemClock;
    this.#changes = new Changes(sql, options);
  }

  async listTokens(organisationId: string): Promise<ManagementToken[]> {
    const tokens = await selectTokens(this.#sql, organisationId);
    if (tokens.length === 0) await requireOrganisation(this.#sql, organisationId);
    return tokens;
  }

  createToken({ sha256, ...token }: NewToken, actor: Actor): Promise<ManagementToken> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      const { organisationId, madeBy } = token;
      await requireOrganisation(transaction, organisationId);
      if (madeBy !== null) await assertMayMake(transaction, { ...token, madeBy });
      const value = {
        ...token,
        id: randomId('mt'),
        createdAtMs: nowMs,
        revokedAtMs: null,
        lastUsedAtMs: null,
      };
      await insertToken(transaction, value, sha256);
      return { value, deed: deedOf('token.create', value.id, null, plainToken(value)), organisationId };
    });
  }

  revokeToken(organisationId: string, id: string, actor: Actor): Promise<ManagementToken> {
    return this.#changes.make(actor, async ({ transaction, nowMs }) => {
      await requireOrganisation(transaction, organisationId);
      const before = await selectToken(transaction, organisationId, id);
      if (before === undefined) throw new BrumeError('unknown_token');
      const value = { ...before, revokedAtMs: before.revokedAtMs ?? nowMs };
      await updateTokenRevoked(transaction, value);
      const deed = deedOf('token.revoke', id, plainToken(before), plainToken(value));
      return { value, deed, organisationId };
    });
  }

  findToken(sha256: string): Promise<ManagementToken | undefined> {
    return selectUsableToken(this.#sql, sha256, this.#clock.nowMs());
  }

  noteTokenUse(id: string, atMs: number): Promise<void> {
    const unlessAfterMs = atMs - USE_NOTED_EVERY_MS;
    return this.#sql.transaction((transaction) => updateTokenUse(transaction, id, { atMs, unlessAfterMs }));
  }
}

/** The maker's own role is read in the transaction: a membership that ended has ended its tokens before. */
async function assertMayMake(
  transaction: SqlTransaction,
  {
    organisationId,
    role,
    madeBy,
  }: Pick<ManagementToken, 'organisationId' | 'role'> & { readonly madeBy: string },
): Promise<void> {
  await requireUser(transaction, madeBy);
  const own = await selectRole(transaction, { organisationId, userId: madeBy });
  if (own === undefined) throw new BrumeError('unknown_organisation');
  if (!isAtLeast(own, role)) throw new BrumeError('forbidden_role');
}

/** As the audit keeps it: without the four characters of the secret that its prefix has. */
function plainToken({ prefix: _, lastUsedAtMs: __, ...token }: ManagementToken) {
  return token;
}
