import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newApiKeySecret } from '../../../src/tenancy/api-key-secret.ts';
import { brumeError } from '../../support/brume-error.ts';
import { newKey } from './samples.ts';
import type { Opened } from './stores.ts';

/** API keys. */
export function keyCases(stores: Opened): void {
  it('a key is stored with everything but its secret and found by its hash', async () => {
    const project = await stores().tenancy.createProject('with-keys');
    const { secret, prefix, sha256 } = newApiKeySecret('publishable');
    const created = await stores().tenancy.createKey(project.id, {
      name: 'browser',
      kind: 'publishable',
      scopes: ['limit', 'peek'],
      prefix,
      sha256,
      expiresAtMs: 9_007_199_254_740_991,
    });
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
    });
    assert.deepEqual(await stores().tenancy.listKeys(project.id), [created]);
    assert.deepEqual(await stores().keys.find(sha256), created);
    assert.equal(await stores().keys.find(newApiKeySecret('service').sha256), undefined);
    const stored = await stores().sql.all('select * from api_keys where id = ?1', [created.id]);
    assert.ok(!JSON.stringify(stored).includes(secret.slice(prefix.length)));
  });

  it('a revoked key stays listed, and the first revocation stands', async () => {
    const project = await stores().tenancy.createProject('revoking');
    const key = newKey();
    const { id } = await stores().tenancy.createKey(project.id, key);
    const revoked = await stores().tenancy.revokeKey(project.id, id);
    assert.equal(revoked.revokedAtMs, stores().clock.nowMs());
    stores().clock.advance(1000);
    assert.deepEqual(await stores().tenancy.revokeKey(project.id, id), revoked);
    assert.deepEqual(await stores().tenancy.listKeys(project.id), [revoked]);
    assert.deepEqual(await stores().keys.find(key.sha256), revoked);
  });

  it('a key is revoked through its own project only', async () => {
    const owner = await stores().tenancy.createProject('owner');
    const other = await stores().tenancy.createProject('other');
    const { id } = await stores().tenancy.createKey(owner.id, newKey());
    await assert.rejects(stores().tenancy.revokeKey(other.id, id), brumeError('unknown_key'));
    await assert.rejects(stores().tenancy.revokeKey('prj_none', id), brumeError('unknown_project'));
    await assert.rejects(stores().tenancy.revokeKey(owner.id, 'key_none'), brumeError('unknown_key'));
    assert.equal((await stores().tenancy.listKeys(owner.id))[0]?.revokedAtMs, null);
  });
}
