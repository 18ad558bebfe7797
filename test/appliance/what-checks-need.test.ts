import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildState } from '../../src/appliance/state.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { newApiKeySecret } from '../../src/tenancy/api-key-secret.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { recordedLog } from './fakes.ts';

const ACTOR = { name: 'local:tester', address: null, requestId: null };

test('a key that was found is on record as used after a stop, and its project has the calls of its tier', async (t) => {
  const directory = temporaryDirectory(t);
  const env = { BRUME_STATE_DIR: directory };
  const config = loadConfig({ env, defaultFile: join(directory, 'absent.conf') });
  const open = () => buildState(config, recordedLog().log);
  const { prefix, sha256 } = newApiKeySecret('service');

  const first = await open();
  const { tenancy, tiers } = first;
  const { id } = await tenancy.createProject({ name: 'shop' }, ACTOR);
  const key = { name: 'web', kind: 'service', scopes: ['limit'], prefix, sha256, expiresAtMs: null } as const;
  await tenancy.createKey(id, key, ACTOR);
  await tenancy.createKey(id, { ...key, sha256: '0'.repeat(64) }, ACTOR);
  assert.equal(first.budgetOf(id), null);
  const tier = await tiers.createTier({ name: 'small', callsPerDay: 1000 }, ACTOR);
  await tiers.setProjectTier(id, tier.id, { actor: ACTOR });
  assert.equal(first.budgetOf(id), 1000);
  await tiers.updateTier(tier.id, { name: 'small', callsPerDay: 500 }, { actor: ACTOR });
  assert.equal(first.budgetOf(id), 500);
  const usedAfterMs = Date.now();
  assert.equal((await first.keys.find(sha256))?.projectId, id);
  await first.close();

  const second = await open();
  const [used, unused] = (await second.tenancy.listKeys(id)).toSorted((one) =>
    one.lastUsedAtMs === null ? 1 : -1,
  );
  assert.ok(used?.lastUsedAtMs != null && used.lastUsedAtMs >= usedAfterMs);
  assert.equal(unused?.lastUsedAtMs, null);
  assert.equal(second.budgetOf(id), 500);
  await second.close();
});
