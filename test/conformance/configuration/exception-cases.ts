import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, AUTHOR, BY, exceptionOf, ODD_MATCHES, OTHER, RULE } from './samples.ts';
import type { Opened } from './stores.ts';

const ADD = { actor: ACTOR, replace: false };
const REPLACE = { actor: OTHER, replace: true };

/** Blocks, exemptions and overrides: adding, replacing, removing. */
export function exceptionCases(stores: Opened): void {
  async function newNamespace(name: string) {
    const project = await stores().tenancy.createProject({ name }, ACTOR);
    const { id } = await stores().policy.createNamespace(project.id, 'api', RULE, ACTOR);
    return { projectId: project.id, namespaceId: id };
  }

  const all = async (namespaceId: string) =>
    (await stores().exceptions.listExceptions(namespaceId, { pageSize: 1000, withExpired: true })).items;

  it('an exception comes back as it was written, with every digit (B18)', async () => {
    const { projectId, namespaceId } = await newNamespace('exceptions');
    const limits = [
      { name: 'default', limit: 9_007_199_254_740_991, burst: 9_007_199_254_740_991, mode: 'shadow' },
    ] as const;
    const wanted = exceptionOf('alice', {
      kind: 'override',
      limits,
      reason: `it's "fine"`,
      expiresAtMs: 2 ** 53 - 1,
    });
    const { value, revision } = await stores().exceptions.addException(namespaceId, wanted, ADD);
    const nowMs = stores().clock.nowMs();
    assert.match(value.id, /^ex_[0-9A-Z]{24}$/);
    const { id } = value;
    const rest = {
      id,
      version: revision,
      namespaceId,
      author: AUTHOR,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    assert.deepEqual(value, { ...wanted, ...rest });
    assert.deepEqual(await all(namespaceId), [value]);
    assert.equal(revision, await stores().revision());
    assert.equal((await stores().source.projectRevisions()).get(projectId), revision);
  });

  it('any text is a match, byte for byte, up to 512 bytes', async () => {
    const { namespaceId } = await newNamespace('odd-matches');
    for (const match of ODD_MATCHES) {
      const reason = match.slice(0, 100);
      await stores().exceptions.addException(namespaceId, exceptionOf(match, { reason }), ADD);
    }
    const listed = await all(namespaceId);
    assert.deepEqual(listed.map(({ match }) => match).sort(), [...ODD_MATCHES].sort());
    for (const { match, reason } of listed) assert.equal(reason, match.slice(0, 100));
    for (const match of ODD_MATCHES) {
      const found = await stores().exceptions.listExceptions(namespaceId, { match, pageSize: 10 });
      assert.deepEqual(
        found.items.map((item) => item.match),
        [match],
      );
      await stores().exceptions.removeException(namespaceId, { kind: 'block', match }, BY);
    }
    assert.deepEqual(await all(namespaceId), []);
  });

  it('the same match and kind is a conflict, and changes nothing; another kind is none', async () => {
    const { namespaceId } = await newNamespace('conflicts');
    const block = exceptionOf('bob');
    const { value } = await stores().exceptions.addException(namespaceId, block, ADD);
    await stores().exceptions.addException(namespaceId, { ...block, kind: 'exemption' }, ADD);
    const before = await stores().revision();
    const again = stores().exceptions.addException(namespaceId, { ...block, reason: 'again' }, ADD);
    await assert.rejects(again, brumeError('conflict', 'match'));
    assert.equal(await stores().revision(), before);
    assert.deepEqual((await all(namespaceId))[0], value);
    assert.equal((await all(namespaceId)).length, 2);
  });

  it('one that replaces keeps id and creation, and says who wrote it last', async () => {
    const { namespaceId } = await newNamespace('replacing');
    const { value: before } = await stores().exceptions.addException(namespaceId, exceptionOf('carol'), ADD);
    stores().clock.advance(1000);
    const wanted = exceptionOf('carol', { reason: 'for longer', expiresAtMs: stores().clock.nowMs() + 5000 });
    const { value, revision } = await stores().exceptions.addException(namespaceId, wanted, REPLACE);
    const updatedAtMs = before.createdAtMs + 1000;
    const expected = { ...before, ...wanted, version: revision, author: OTHER.name, updatedAtMs };
    assert.deepEqual(value, expected);
    assert.deepEqual(await all(namespaceId), [expected]);
  });

  it('one that has expired is as if it were not there: at its last moment, and not before', async () => {
    const { namespaceId } = await newNamespace('expiring');
    const expiresAtMs = stores().clock.nowMs() + 1000;
    const wanted = exceptionOf('dave', { expiresAtMs });
    const { value: first } = await stores().exceptions.addException(namespaceId, wanted, ADD);
    stores().clock.advance(999);
    await assert.rejects(stores().exceptions.addException(namespaceId, wanted, ADD), brumeError('conflict'));
    stores().clock.advance(1);
    const gone = stores().exceptions.removeException(namespaceId, first, BY);
    await assert.rejects(gone, brumeError('unknown_exception'));
    const { items } = await stores().exceptions.listExceptions(namespaceId, { pageSize: 10 });
    assert.deepEqual(items, []);
    assert.deepEqual(await all(namespaceId), [first]);
    const { value: second } = await stores().exceptions.addException(namespaceId, exceptionOf('dave'), ADD);
    assert.notEqual(second.id, first.id);
    assert.equal(second.createdAtMs, stores().clock.nowMs());
    assert.deepEqual(await all(namespaceId), [second]);
  });

  it('many are added in one change or not at all', async () => {
    const { projectId, namespaceId } = await newNamespace('many');
    const before = await stores().revision();
    const many = Array.from({ length: 1000 }, (_, n) => exceptionOf(`user-${n}`));
    const { value, revision } = await stores().exceptions.addExceptions(namespaceId, many, ADD);
    assert.deepEqual(value, { added: 1000, replaced: 0 });
    assert.equal(revision, before + 1);
    const more = [exceptionOf('new'), exceptionOf('user-7'), exceptionOf('user-8')];
    const refused = stores().exceptions.addExceptions(namespaceId, more, ADD);
    await assert.rejects(refused, brumeError('conflict', 'entries[1].match'));
    assert.equal(
      (await stores().exceptions.listExceptions(namespaceId, { match: 'new', pageSize: 1 })).items.length,
      0,
    );
    const replacing = await stores().exceptions.addExceptions(namespaceId, more, REPLACE);
    assert.deepEqual(replacing, { value: { added: 1, replaced: 2 }, revision: revision + 1 });
    const [last, first] = await stores().rules.listChanges(projectId, { pageSize: 2 });
    assert.equal(last?.summary, '1 block created, 2 blocks changed');
    assert.equal(first?.summary, '1000 blocks created');
  });

  it('a namespace has at most 1,000 patterns in force; other forms are not counted', async () => {
    const { namespaceId } = await newNamespace('patterns');
    const pattern = (n: number, expiresAtMs: number | null = null) =>
      exceptionOf(`p${n}*`, { form: 'pattern', expiresAtMs });
    const soon = stores().clock.nowMs() + 1000;
    const many = Array.from({ length: 1000 }, (_, n) => pattern(n, n === 0 ? soon : null));
    await stores().exceptions.addExceptions(namespaceId, many, ADD);
    const before = await stores().revision();
    const refused = stores().exceptions.addException(namespaceId, pattern(1000), ADD);
    await assert.rejects(refused, brumeError('bad_request', 'match'));
    assert.equal(await stores().revision(), before);
    await stores().exceptions.addException(namespaceId, pattern(1), REPLACE);
    await stores().exceptions.addException(namespaceId, exceptionOf('exact'), ADD);
    stores().clock.advance(1000);
    await stores().exceptions.addException(namespaceId, pattern(1000), ADD);
  });

  it('what is removed is returned, and gone', async () => {
    const { namespaceId } = await newNamespace('removing');
    const { value } = await stores().exceptions.addException(namespaceId, exceptionOf('erin'), ADD);
    const removed = await stores().exceptions.removeException(namespaceId, value, BY);
    assert.deepEqual(removed, { value, revision: await stores().revision() });
    assert.deepEqual(await all(namespaceId), []);
    const again = stores().exceptions.removeException(namespaceId, value, BY);
    await assert.rejects(again, brumeError('unknown_exception'));
  });

  it('a namespace that is not there is named, and nothing changes', async () => {
    const before = await stores().revision();
    const unknown = brumeError('unknown_namespace');
    const { exceptions } = stores();
    await assert.rejects(exceptions.listExceptions('ns_none', { pageSize: 1 }), unknown);
    await assert.rejects(exceptions.findCandidates('ns_none', ['a']), unknown);
    await assert.rejects(exceptions.addException('ns_none', exceptionOf('a'), ADD), unknown);
    await assert.rejects(exceptions.addExceptions('ns_none', [exceptionOf('a')], ADD), unknown);
    const key = { kind: 'block', match: 'a' } as const;
    await assert.rejects(exceptions.removeException('ns_none', key, BY), unknown);
    assert.equal(await stores().revision(), before);
  });

  it('of changes of one project made at once all land, each with a number of its own, in order', async () => {
    const { projectId, namespaceId } = await newNamespace('at-once');
    const before = await stores().revision();
    const written = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        stores().exceptions.addException(namespaceId, exceptionOf(`user-${n}`), ADD),
      ),
    );
    const expected = Array.from({ length: 10 }, (_, n) => before + 1 + n);
    assert.deepEqual(
      written.map(({ revision }) => revision).sort((a, b) => a - b),
      expected,
    );
    assert.equal((await all(namespaceId)).length, 10);
    const changes = await stores().rules.listChanges(projectId, { pageSize: 10 });
    assert.deepEqual(changes.map(({ revision }) => revision).reverse(), expected);
  });

  it('of two that add the same at once one gets the conflict', async () => {
    const { namespaceId } = await newNamespace('rivals');
    const results = await Promise.allSettled(
      [1, 2].map(() => stores().exceptions.addException(namespaceId, exceptionOf('same'), ADD)),
    );
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });
}
