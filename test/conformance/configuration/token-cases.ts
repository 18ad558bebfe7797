import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR } from './samples.ts';
import type { Opened } from './stores.ts';

/** Tokens of the management API. */
export function tokenCases(stores: Opened): void {
  async function newToken(name: string) {
    const { organisations, tokens, clock } = stores();
    const { id: organisationId } = await organisations.createOrganisation(name, ACTOR);
    const sha256 = Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64);
    const expiresAtMs = clock.nowMs() + 1_000_000;
    const token = { organisationId, name, role: 'developer', prefix: 'brume_mt_abcd', madeBy: null } as const;
    const created = await tokens.createToken({ ...token, expiresAtMs, sha256 }, ACTOR);
    return { organisationId, sha256, created };
  }

  it('a token is found by its hash until its end, and listed without it', async () => {
    const { tokens, clock } = stores();
    const { organisationId, sha256, created } = await newToken('token-found');
    assert.match(created.id, /^mt_[0-9A-Z]{24}$/);
    assert.deepEqual(created, {
      id: created.id,
      organisationId,
      name: 'token-found',
      role: 'developer',
      prefix: 'brume_mt_abcd',
      madeBy: null,
      createdAtMs: clock.nowMs(),
      expiresAtMs: clock.nowMs() + 1_000_000,
      revokedAtMs: null,
      lastUsedAtMs: null,
    });
    assert.deepEqual(await tokens.listTokens(organisationId), [created]);
    assert.deepEqual(await tokens.findToken(sha256), created);
    assert.equal(await tokens.findToken('f'.repeat(64)), undefined);
    clock.advance(999_999);
    assert.equal((await tokens.findToken(sha256))?.id, created.id);
    clock.advance(1);
    assert.equal(await tokens.findToken(sha256), undefined);
  });

  it('a revoked token is good for nothing, stays listed, and the first revocation stands', async () => {
    const { tokens, clock } = stores();
    const { organisationId, sha256, created } = await newToken('token-revoked');
    const other = await newToken('token-other');
    const elsewhere = tokens.revokeToken(other.organisationId, created.id, ACTOR);
    await assert.rejects(elsewhere, brumeError('unknown_token'));
    const revoked = await tokens.revokeToken(organisationId, created.id, ACTOR);
    assert.deepEqual(revoked, { ...created, revokedAtMs: clock.nowMs() });
    clock.advance(1);
    assert.deepEqual(await tokens.revokeToken(organisationId, created.id, ACTOR), revoked);
    assert.equal(await tokens.findToken(sha256), undefined);
    assert.deepEqual(await tokens.listTokens(organisationId), [revoked]);
  });

  it('organisation and maker must be there', async () => {
    const { tokens } = stores();
    const { organisationId } = await newToken('token-places');
    const token = { name: 'x', role: 'viewer', prefix: 'p', expiresAtMs: 1, sha256: 'e'.repeat(64) } as const;
    await assert.rejects(
      tokens.createToken({ ...token, organisationId: 'org_none', madeBy: null }, ACTOR),
      brumeError('unknown_organisation'),
    );
    await assert.rejects(
      tokens.createToken({ ...token, organisationId, madeBy: 'usr_none' }, ACTOR),
      brumeError('unknown_user'),
    );
    await assert.rejects(tokens.listTokens('org_none'), brumeError('unknown_organisation'));
    await assert.rejects(tokens.revokeToken('org_none', 'mt_x', ACTOR), brumeError('unknown_organisation'));
  });

  it('uses are noted at most once a minute, and change nothing else', async () => {
    const { tokens, clock } = stores();
    const { organisationId, created } = await newToken('token-used');
    const before = await stores().revision();
    const noted = async (atMs: number) => {
      await tokens.noteTokenUse(created.id, atMs);
      return (await tokens.listTokens(organisationId))[0]?.lastUsedAtMs;
    };
    const nowMs = clock.nowMs();
    assert.equal(await noted(nowMs), nowMs);
    assert.equal(await noted(nowMs + 59_999), nowMs);
    assert.equal(await noted(nowMs + 60_000), nowMs + 60_000);
    await tokens.noteTokenUse('mt_none', nowMs);
    assert.equal(await stores().revision(), before);
  });
}
