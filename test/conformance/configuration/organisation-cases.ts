import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DEFAULT_ORGANISATION_ID } from '../../../src/tenancy/organisation.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, BY } from './samples.ts';
import type { Opened } from './stores.ts';

/** Organisations, and whose projects are. */
export function organisationCases(stores: Opened): void {
  it('a new database has the default organisation, which owns projects that name none, and stays', async () => {
    const { organisations, tenancy } = stores();
    const found = await organisations.findOrganisation('default');
    assert.equal(found?.id, DEFAULT_ORGANISATION_ID);
    const project = await tenancy.createProject({ name: 'of-default' }, ACTOR);
    assert.equal(project.organisationId, DEFAULT_ORGANISATION_ID);
    assert.equal((await tenancy.findProject('of-default'))?.organisationId, DEFAULT_ORGANISATION_ID);
    await tenancy.deleteProject(project.id, BY);
    await assert.rejects(
      organisations.deleteOrganisation(DEFAULT_ORGANISATION_ID, BY),
      brumeError('still_needed'),
    );
  });

  it('a project that an older executable made belongs to the default organisation', async () => {
    const { sql, tenancy } = stores();
    await sql.transaction((transaction) =>
      transaction.run(
        `insert into projects (id, name, revision, created_at, updated_at) values ('prj_old', 'old', 1, 1, 1)`,
      ),
    );
    const old = await tenancy.findProject('old');
    assert.deepEqual([old?.organisationId, old?.tierId, old?.version], [DEFAULT_ORGANISATION_ID, null, 1]);
    const own = await tenancy.listProjects({ organisationId: DEFAULT_ORGANISATION_ID });
    assert.ok(own.some(({ id }) => id === 'prj_old'));
    await tenancy.deleteProject('prj_old', BY);
  });

  it('organisations are found by id and by name, and own the projects that are made in them', async () => {
    const { organisations, tenancy, clock } = stores();
    const one = await organisations.createOrganisation('acme', ACTOR);
    const nowMs = clock.nowMs();
    assert.match(one.id, /^org_[0-9A-Z]{24}$/);
    assert.deepEqual(one, { id: one.id, name: 'acme', version: 1, createdAtMs: nowMs, updatedAtMs: nowMs });
    assert.deepEqual(await organisations.findOrganisation(one.id), one);
    assert.deepEqual(await organisations.findOrganisation('acme'), one);
    assert.ok((await organisations.listOrganisations()).some(({ id }) => id === one.id));
    assert.equal(await organisations.findOrganisation('none'), undefined);
    const project = await tenancy.createProject({ name: 'anvils', organisationId: one.id }, ACTOR);
    assert.equal(project.organisationId, one.id);
    assert.deepEqual(await tenancy.listProjects({ organisationId: one.id }), [project]);
    const nowhere = tenancy.createProject({ name: 'nowhere', organisationId: 'org_none' }, ACTOR);
    await assert.rejects(nowhere, brumeError('unknown_organisation'));
    await assert.rejects(organisations.createOrganisation('acme', ACTOR), brumeError('conflict'));
  });

  it('an organisation is renamed from the version that was read, and else not', async () => {
    const { organisations } = stores();
    const { id } = await organisations.createOrganisation('before', ACTOR);
    const renamed = await organisations.renameOrganisation(id, 'after', { ...BY, expectedVersion: 1 });
    assert.deepEqual([renamed.name, renamed.version], ['after', 2]);
    const late = organisations.renameOrganisation(id, 'late', { ...BY, expectedVersion: 1 });
    await assert.rejects(late, brumeError('precondition_failed'));
    await assert.rejects(
      organisations.deleteOrganisation(id, { ...BY, expectedVersion: 1 }),
      brumeError('precondition_failed'),
    );
    assert.deepEqual(await organisations.findOrganisation(id), renamed);
    await organisations.createOrganisation('before', ACTOR);
    const taken = organisations.renameOrganisation(id, 'before', BY);
    await assert.rejects(taken, brumeError('conflict'));
    const none = organisations.renameOrganisation('org_none', 'x', BY);
    await assert.rejects(none, brumeError('unknown_organisation'));
  });

  it('an organisation with projects stays; one without goes with its members and tokens', async () => {
    const { organisations, tenancy, users, tokens } = stores();
    const { id } = await organisations.createOrganisation('leaving-org', ACTOR);
    const project = await tenancy.createProject({ name: 'last-one', organisationId: id }, ACTOR);
    await assert.rejects(organisations.deleteOrganisation(id, BY), brumeError('still_needed'));
    await tenancy.deleteProject(project.id, BY);
    const user = await users.createUser('leaver', ACTOR);
    await organisations.setMember(id, user.id, 'owner', ACTOR);
    const sha256 = 'a1'.repeat(32);
    const token = { organisationId: id, name: 'ci', role: 'admin', prefix: 'p', madeBy: null } as const;
    await tokens.createToken({ ...token, expiresAtMs: 2 ** 53 - 1, sha256 }, ACTOR);
    await organisations.deleteOrganisation(id, { ...BY, expectedVersion: 1 });
    assert.equal(await organisations.findOrganisation(id), undefined);
    assert.equal(await tokens.findToken(sha256), undefined);
    assert.deepEqual(await organisations.organisationsOf(user.id), []);
    await assert.rejects(organisations.deleteOrganisation(id, BY), brumeError('unknown_organisation'));
  });
}
