import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AUDIT_ACTIONS } from '../../../src/tenancy/audit.ts';
import { DEFAULT_ORGANISATION_ID } from '../../../src/tenancy/organisation.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, BY, exceptionOf, newKey, OTHER, RULE, ruleOf, rulesOf } from './samples.ts';
import type { Opened } from './stores.ts';

/** Who changed what. */
export function auditCases(stores: Opened): void {
  const since = async () => {
    const after = await stores().revision();
    return () => stores().audit.listAudit({ after, pageSize: 1000 });
  };

  it('every change of every store has one entry, of its own revision, and a refused one has none', async () => {
    const { tenancy, policy, exceptions, rules, organisations, users, tokens, tiers, clock } = stores();
    const entries = await since();
    const expected: string[] = [];
    const did = async <T>(action: string, change: Promise<T>): Promise<T> => {
      expected.push(action);
      return change;
    };
    const organisation = await did('organisation.create', organisations.createOrganisation('audited', ACTOR));
    const organisationId = organisation.id;
    const tier = await did('tier.create', tiers.createTier({ name: 'audited', callsPerDay: 7 }, ACTOR));
    await did('tier.update', tiers.updateTier(tier.id, { name: 'audited', callsPerDay: 8 }, BY));
    const inside = { name: 'audited', organisationId };
    const { id } = await did('project.create', tenancy.createProject(inside, ACTOR));
    await did('project.tier', tiers.setProjectTier(id, tier.id, BY));
    const key = await did('key.create', tenancy.createKey(id, newKey(), ACTOR));
    const rotation = { ...newKey(), overlapMs: 1000 };
    await did('key.rotate', tenancy.rotateKey(id, key.id, rotation, ACTOR));
    await did('key.revoke', tenancy.revokeKey(id, key.id, ACTOR));
    const api = await did('namespace.create', policy.createNamespace(id, 'api', RULE, ACTOR));
    await did('namespace.update', policy.updateNamespace(id, 'api', ruleOf(3), BY));
    const add = { actor: ACTOR, replace: false };
    await did('block.set', exceptions.addException(api.id, exceptionOf('a'), add));
    const many = [exceptionOf('b'), exceptionOf('c')];
    await did('exceptions.import', exceptions.addExceptions(api.id, many, add));
    await did('block.remove', exceptions.removeException(api.id, exceptionOf('a'), BY));
    const file = rulesOf({ login: { rule: RULE } });
    const applied = await did('rules.apply', rules.applyRules(id, file, { actor: ACTOR, prune: false }));
    await rules.applyRules(id, file, { actor: ACTOR, prune: false });
    await did('namespace.delete', policy.deleteNamespace(id, 'api', BY));
    await did('rules.rollback', rules.rollBack(id, applied.revision, BY));
    const user = await did('user.create', users.createUser('audited', ACTOR));
    await did('user.link', users.linkIdentity(user.id, 'https://id.example', 'audited', ACTOR));
    await did('member.set', organisations.setMember(organisationId, user.id, 'viewer', ACTOR));
    await did('member.remove', organisations.removeMember(organisationId, user.id, ACTOR));
    const sha256 = 'd'.repeat(64);
    const expiresAtMs = clock.nowMs() + 1000;
    await did('user.invite', users.createInvitation(user.id, { sha256, expiresAtMs }, ACTOR));
    await did('user.password', users.acceptInvitation(sha256, '$argon2id$secret'));
    const unlinked = users.unlinkIdentity(user.id, 'https://id.example', 'audited', ACTOR);
    await did('user.unlink', unlinked);
    const session = { id: 'ses_audited', expiresAtMs };
    await did('session.create', users.createSession(user.id, session, ACTOR));
    await did('session.end', users.endSession(user.id, 'ses_audited', ACTOR));
    const refusals = { login: 'audited', by: 'password', wrong: 3, throttled: 1 } as const;
    const refused = { ...refusals, address: '192.0.2.1', requestId: null, firstAtMs: 1, lastAtMs: 2 };
    await did('session.refuse', users.noteRefusals(refused));
    await did('session.revoke', users.revokeSession(user.id, 'ses_audited', ACTOR));
    await did('sessions.revoke', users.revokeSessions(user.id, ACTOR));
    await did('user.disable', users.disableUser(user.id, true, ACTOR));
    await did('user.enable', users.disableUser(user.id, false, ACTOR));
    const token = { organisationId, name: 'ci', role: 'viewer', prefix: 'brume_mt_' } as const;
    const made = { ...token, madeBy: null, expiresAtMs, sha256: 'b'.repeat(64) };
    const { id: tokenId } = await did('token.create', tokens.createToken(made, ACTOR));
    await did('token.revoke', tokens.revokeToken(organisationId, tokenId, ACTOR));
    await did('user.delete', users.deleteUser(user.id, ACTOR));
    await assert.rejects(tenancy.createProject({ name: 'audited' }, ACTOR), brumeError('conflict'));
    await did('project.delete', tenancy.deleteProject(id, BY));
    await did('tier.delete', tiers.deleteTier(tier.id, BY));
    await did('organisation.rename', organisations.renameOrganisation(organisationId, 'audited-2', BY));
    await did('organisation.delete', organisations.deleteOrganisation(organisationId, BY));

    const listed = await entries();
    // Other suites do the rest.
    const others = [
      ...['exemption.set', 'exemption.remove', 'override.set', 'override.remove'],
      'audit.prune',
    ];
    assert.deepEqual([...new Set([...expected, ...others])].sort(), [...AUDIT_ACTIONS].sort());
    assert.deepEqual(
      listed.map(({ action }) => action),
      expected,
    );
    const last = await stores().revision();
    assert.deepEqual(
      listed.map(({ revision }) => revision),
      Array.from(listed, (_, index) => last - listed.length + 1 + index),
    );
    const text = JSON.stringify(listed);
    for (const secret of [rotation.sha256, rotation.prefix, sha256, made.sha256, '$argon2id$secret']) {
      assert.ok(!text.includes(secret), `${secret} must not be in the audit`);
    }
  });

  it('an entry says who, from where, when, of which organisation and project, before and after', async () => {
    const { tenancy, policy, clock } = stores();
    const { id } = await tenancy.createProject({ name: 'who-and-when' }, ACTOR);
    const { id: namespaceId } = await policy.createNamespace(id, 'api', RULE, ACTOR);
    const entries = await since();
    await policy.updateNamespace(id, 'api', ruleOf(3), BY);
    const [entry] = await entries();
    const item = (rule: typeof RULE) => ({ id: namespaceId, rule: rule.json, createdAtMs: clock.nowMs() });
    assert.deepEqual(entry, {
      revision: await stores().revision(),
      atMs: clock.nowMs(),
      actor: ACTOR.name,
      address: ACTOR.address,
      requestId: ACTOR.requestId,
      organisationId: DEFAULT_ORGANISATION_ID,
      projectId: id,
      action: 'namespace.update',
      target: 'api',
      before: item(RULE),
      after: item(ruleOf(3)),
    });
    const { revision, revisedAtMs } = await stores().source.installation();
    assert.deepEqual([revision, revisedAtMs], [entry?.revision, entry?.atMs]);
    assert.equal(await stores().source.revisedAtMs(revision), entry?.atMs);
    assert.equal(await stores().source.revisedAtMs(revision + 1), null);
  });

  it('a change of many has one entry: in full up to fifty, then in short, and the history has the rest', async () => {
    const { tenancy, policy, exceptions, rules } = stores();
    const { id } = await tenancy.createProject({ name: 'many-at-once' }, ACTOR);
    const api = await policy.createNamespace(id, 'api', RULE, ACTOR);
    const add = { actor: ACTOR, replace: false };
    const entries = await since();
    const named = (name: string, length: number) =>
      Array.from({ length }, (_, n) => exceptionOf(`${name}-${n}`));
    await exceptions.addExceptions(api.id, named('few', 50), add);
    const { revision } = await exceptions.addExceptions(api.id, named('many', 51), add);
    const [few, many] = await entries();
    assert.ok(few !== undefined && many !== undefined);
    const { summary, items } = few.after as { summary: string; items: { exception: unknown }[] };
    assert.deepEqual([few.before, few.target, summary, items.length], [null, 'api', '50 blocks created', 50]);
    assert.deepEqual(items[0]?.exception, { kind: 'block', match: 'few-0' });
    assert.deepEqual(many.after, { summary: '51 blocks created' });
    assert.equal(many.revision, revision);
    assert.equal((await rules.findChange(id, revision))?.items.length, 51);
  });

  it('the audit is filtered by every field and read in pages, the oldest first', async () => {
    const { tenancy, organisations, audit, clock } = stores();
    const after = await stores().revision();
    const { id: organisationId } = await organisations.createOrganisation('filtered', ACTOR);
    clock.advance(1000);
    const fromMs = clock.nowMs();
    const project = await tenancy.createProject({ name: 'filtered', organisationId }, OTHER);
    clock.advance(1000);
    await tenancy.createKey(project.id, newKey(), ACTOR);
    await tenancy.createProject({ name: 'unfiltered' }, ACTOR);
    const actions = async (query: object) =>
      (await audit.listAudit({ after, pageSize: 100, ...query })).map(({ action }) => action);
    assert.deepEqual(await actions({ organisationId }), [
      'organisation.create',
      'project.create',
      'key.create',
    ]);
    assert.deepEqual(await actions({ projectId: project.id }), ['project.create', 'key.create']);
    assert.deepEqual(await actions({ actor: OTHER.name }), ['project.create']);
    assert.deepEqual(await actions({ action: 'key.create' }), ['key.create']);
    assert.deepEqual(await actions({ organisationId, fromMs }), ['project.create', 'key.create']);
    assert.deepEqual(await actions({ toMs: fromMs }), ['organisation.create', 'project.create']);
    assert.deepEqual(await actions({ organisationId, fromMs, toMs: fromMs }), ['project.create']);
    const pages: number[] = [];
    for (let position = after; ; ) {
      const [entry] = await audit.listAudit({ after: position, pageSize: 1 });
      if (entry === undefined) break;
      pages.push(entry.revision);
      position = entry.revision;
    }
    assert.deepEqual(pages, [after + 1, after + 2, after + 3, after + 4]);
  });
}
