import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isUsable } from '../../../src/tenancy/api-key.ts';
import { newApiKeySecret } from '../../../src/tenancy/api-key-secret.ts';
import { brumeError } from '../../support/brume-error.ts';
import { ACTOR, newKey } from './samples.ts';
import type { Opened } from './stores.ts';

/** API keys. */
export function keyCases(stores: Opened): void {
  it('a key is stored with everything but its secret and found by its hash', async () => {
    const project = await stores().tenancy.createProject({ name: 'with-keys' }, ACTOR);
    const { secret, prefix, sha256 } = newApiKeySecret('publishable');
    const created = await stores().tenancy.createKey(
      project.id,
      {
        name: 'browser',
        kind: 'publishable',
        scopes: ['limit', 'peek'],
        prefix,
        sha256,
        expiresAtMs: 9_007_199_254_740_991,
      },
      ACTOR,
    );
    assert.match(created.id, /^key_[0-9A-Z]{24}$/);
    assert.deepEqual(created, {
      id: created.id,
      projectId: project.id,
      name: 'browser',
      kind: 'publishable',
      scopes: ['limit', 'peek'],
      prefix,
      createdAtMs: stores().clock.nowMs(),
      expiresAtMs: 9_007_199_254_740_991,
      revokedAtMs: null,
      replaces: null,
      lastUsedAtMs: null,
    });
    const { replaces: _, lastUsedAtMs: __, ...found } = created;
    assert.deepEqual(await stores().tenancy.listKeys(project.id), [created]);
    assert.deepEqual(await stores().keys.find(sha256), found);
    assert.equal(await stores().keys.find(newApiKeySecret('service').sha256), undefined);
    const stored = await stores().sql.all('select * from api_keys where id = ?1', [created.id]);
    assert.ok(!JSON.stringify(stored).includes(secret.slice(prefix.length)));
  });

  it('a revoked key stays listed, and the first revocation stands', async () => {
    const project = await stores().tenancy.createProject({ name: 'revoking' }, ACTOR);
    const key = newKey();
    const { id } = await stores().tenancy.createKey(project.id, key, ACTOR);
    const revoked = await stores().tenancy.revokeKey(project.id, id, ACTOR);
    assert.equal(revoked.revokedAtMs, stores().clock.nowMs());
    stores().clock.advance(1000);
    assert.deepEqual(await stores().tenancy.revokeKey(project.id, id, ACTOR), revoked);
    assert.deepEqual(await stores().tenancy.listKeys(project.id), [revoked]);
    assert.equal((await stores().keys.find(key.sha256))?.revokedAtMs, revoked.revokedAtMs);
  });

  it('a key is revoked through its own project only', async () => {
    const owner = await stores().tenancy.createProject({ name: 'owner' }, ACTOR);
    const other = await stores().tenancy.createProject({ name: 'other' }, ACTOR);
    const { id } = await stores().tenancy.createKey(owner.id, newKey(), ACTOR);
    await assert.rejects(stores().tenancy.revokeKey(other.id, id, ACTOR), brumeError('unknown_key'));
    await assert.rejects(stores().tenancy.revokeKey('prj_none', id, ACTOR), brumeError('unknown_project'));
    await assert.rejects(stores().tenancy.revokeKey(owner.id, 'key_none', ACTOR), brumeError('unknown_key'));
    assert.equal((await stores().tenancy.listKeys(owner.id))[0]?.revokedAtMs, null);
  });

  it('a key is rotated with an overlap: the new one is like it, the old one ends after that', async () => {
    const { tenancy, clock, keys } = stores();
    const project = await tenancy.createProject({ name: 'rotating' }, ACTOR);
    const old = await tenancy.createKey(project.id, newKey(), ACTOR);
    clock.advance(1000);
    const { prefix, sha256 } = newApiKeySecret('service');
    const rotation = { prefix, sha256, expiresAtMs: null, overlapMs: 60_000 };
    const { created, replaced } = await tenancy.rotateKey(project.id, old.id, rotation, ACTOR);
    const nowMs = clock.nowMs();
    assert.deepEqual(replaced, { ...old, expiresAtMs: nowMs + 60_000 });
    assert.deepEqual(created, { ...old, id: created.id, prefix, createdAtMs: nowMs, replaces: old.id });
    assert.notEqual(created.id, old.id);
    assert.deepEqual(await tenancy.listKeys(project.id), [replaced, created]);
    assert.equal((await keys.find(sha256))?.id, created.id);
    assert.ok(isUsable(replaced, nowMs + 59_999) && !isUsable(replaced, nowMs + 60_000));
  });

  it('an overlap never prolongs a key, and none ends it at once', async () => {
    const { tenancy, clock } = stores();
    const project = await tenancy.createProject({ name: 'rotating-late' }, ACTOR);
    const expiresAtMs = clock.nowMs() + 5000;
    const old = await tenancy.createKey(project.id, newKey(expiresAtMs), ACTOR);
    const rotate = (overlapMs: number) =>
      tenancy.rotateKey(project.id, old.id, { ...newKey(), overlapMs }, ACTOR);
    assert.equal((await rotate(60_000)).replaced.expiresAtMs, expiresAtMs);
    assert.equal((await rotate(0)).replaced.expiresAtMs, clock.nowMs());
    await assert.rejects(rotate(60_000), brumeError('key_ended'));
    assert.equal((await tenancy.listKeys(project.id)).length, 3);
  });

  it('a new key ends when the old one was to end, unless another end is said', async () => {
    const { tenancy, clock } = stores();
    const { id } = await tenancy.createProject({ name: 'rotating-ends' }, ACTOR);
    const endMs = clock.nowMs() + 7_200_000;
    const ending = await tenancy.createKey(id, newKey(endMs), ACTOR);
    const endless = await tenancy.createKey(id, newKey(), ACTOR);
    const newEnd = async (keyId: string, expiresAtMs?: number | null) => {
      clock.advance(1);
      const { prefix, sha256 } = newApiKeySecret('service');
      const rotation = { prefix, sha256, overlapMs: 60_000, expiresAtMs };
      return (await tenancy.rotateKey(id, keyId, rotation, ACTOR)).created.expiresAtMs;
    };
    assert.equal(await newEnd(ending.id), endMs);
    assert.equal(await newEnd(ending.id), endMs, 'once more: not the end of the overlap');
    assert.equal(await newEnd(endless.id), null);
    assert.equal(await newEnd(endless.id), null, 'once more');
    assert.equal(await newEnd(ending.id, null), null);
    assert.equal(await newEnd(endless.id, endMs), endMs);
    clock.advance(30_000);
    await newEnd(endless.id, clock.nowMs() + 10);
    clock.advance(10);
    await assert.rejects(newEnd(endless.id), brumeError('bad_request', 'expiresAt'));
  });

  it('a key that was revoked, or is of another project, is not rotated, and nothing changes', async () => {
    const { tenancy } = stores();
    const { id } = await tenancy.createProject({ name: 'rotating-none' }, ACTOR);
    const other = await tenancy.createProject({ name: 'rotating-other' }, ACTOR);
    const key = await tenancy.createKey(id, newKey(), ACTOR);
    const rotation = { ...newKey(), overlapMs: 1 };
    await assert.rejects(tenancy.rotateKey(other.id, key.id, rotation, ACTOR), brumeError('unknown_key'));
    await tenancy.revokeKey(id, key.id, ACTOR);
    const before = await stores().revision();
    await assert.rejects(tenancy.rotateKey(id, key.id, rotation, ACTOR), brumeError('key_ended'));
    assert.equal(await stores().revision(), before);
    assert.equal((await tenancy.listKeys(id)).length, 1);
  });

  it('uses of keys are noted at most once a minute each, and change nothing else', async () => {
    const { tenancy, keyUses } = stores();
    const { id } = await tenancy.createProject({ name: 'used-keys' }, ACTOR);
    const [one, two] = [
      await tenancy.createKey(id, newKey(), ACTOR),
      await tenancy.createKey(id, newKey(), ACTOR),
    ];
    const before = await stores().revision();
    const noted = async (uses: Record<string, number>) => {
      await keyUses.noteUses(new Map(Object.entries(uses)));
      const used = new Map((await tenancy.listKeys(id)).map((key) => [key.id, key.lastUsedAtMs]));
      return [used.get(one.id), used.get(two.id)];
    };
    assert.deepEqual(await noted({ [one.id]: 1_000_000, key_none: 5 }), [1_000_000, null]);
    assert.deepEqual(await noted({ [one.id]: 1_059_999, [two.id]: 7 }), [1_000_000, 7]);
    assert.deepEqual(await noted({ [one.id]: 1_060_000, [two.id]: 6 }), [1_060_000, 7]);
    const many = Object.fromEntries(Array.from({ length: 1200 }, (_, n) => [`key_${n}`, n]));
    assert.deepEqual(await noted({ ...many, [two.id]: 2_000_000 }), [1_060_000, 2_000_000]);
    assert.equal(await stores().revision(), before);
  });
}
