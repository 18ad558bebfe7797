import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { updateKeyUses } from '../../src/stores/sql/api-keys.ts';
import { SqlCheckpointStore } from '../../src/stores/sql/sql-checkpoint-store.ts';
import { deleteOldUsage } from '../../src/stores/sql/usage.ts';
import { believeTablesEmpty } from '../support/sql-engines.ts';
import { ACTOR, RULE } from './configuration/samples.ts';
import { ConfigurationStores } from './configuration/stores.ts';

/** So many that going through all of them for each of them takes longer than a statement may: 10 s. */
const MANY = 20_000;
const DAY_MS = 86_400_000;

describe('PostgreSQL that takes every table for empty', () => {
  let stores: ConfigurationStores;

  before(async () => {
    stores = await ConfigurationStores.open('postgres');
    await believeTablesEmpty(stores.sql);
  });
  after(() => stores.close());

  /** `columns` are written with `n`, which counts up. */
  async function fill(table: string, columns: Readonly<Record<string, string>>): Promise<void> {
    await stores.sql.transaction(
      (transaction) =>
        transaction.run(
          `insert into ${table} (${Object.keys(columns)}) select ${Object.values(columns)}
           from generate_series(1, ${MANY}) n`,
        ),
      { timeoutMs: 60_000 },
    );
  }

  async function count(table: string): Promise<unknown> {
    const [row] = await stores.sql.all(`select count(*) as total from ${table}`);
    return row?.total;
  }

  it('loads many projects with their namespaces and keys, and notes their use', async () => {
    const project = { revision: '1', version: '1', created_at: '1', updated_at: '1' };
    await fill('projects', { ...project, id: `'prj_' || n`, name: `'p' || n` });
    const key = { kind: `'live'`, scopes: `'[]'`, prefix: `'x'`, created_at: '1' };
    const sha256 = `lpad(cast(n as text), 64, '0')`;
    await fill('api_keys', { ...key, id: `'key_' || n`, project_id: `'prj_' || n`, name: `'k'`, sha256 });
    const namespace = { name: `'api'`, rule: `'{}'`, version: '1', created_at: '1', updated_at: '1' };
    await fill('namespaces', { ...namespace, id: `'ns_' || n`, project_id: `'prj_' || n` });
    assert.equal((await stores.source.namespacesChangedAfter(0)).length, MANY);
    assert.equal((await stores.source.keysChangedAfter(0)).length, MANY);
    const uses = new Map(Array.from({ length: 500 }, (_, n) => [`key_${n}`, 70_000]));
    await stores.sql.transaction((transaction) => updateKeyUses(transaction, uses));
    assert.equal(await count('api_keys where last_used_at = 70000'), 499);
  });

  it('writes and prunes checkpoints beside many that were reset', async () => {
    const nowMs = stores.clock.nowMs();
    await fill('quota_resets', { state_key: `'k' || n`, reset_at: '1', created_at: '1' });
    const store = new SqlCheckpointStore(stores.sql, stores.clock);
    const checkpoint = { name: 'q', identity: 1, startMs: nowMs, endMs: nowMs + DAY_MS, used: 1 };
    const round = Array.from({ length: MANY }, (_, n) => ({
      ...checkpoint,
      key: `k${n}`,
      observedMs: nowMs,
    }));
    await store.write(round);
    assert.equal(await count('quota_checkpoints'), MANY);
    await store.prune({ endedMs: nowMs + 2 * DAY_MS, resetMs: nowMs, limit: MANY });
    assert.equal(await count('quota_checkpoints'), 0);
    assert.equal(await count('quota_resets'), 0);
  });

  it('clears usage away', async () => {
    const counts = { allowed: '1', denied: '0', degraded: '0', cost: '1' };
    const place = { project_id: `'p' || n`, step: `'hour'`, start_at: '1', namespace: `'n'`, key_id: `''` };
    await fill('usage', { ...counts, ...place });
    const deleted = await stores.sql.transaction((transaction) =>
      deleteOldUsage(transaction, { step: 'hour', beforeMs: 2, limit: MANY }),
    );
    assert.equal(deleted, MANY);
  });

  it('clears away what has expired, and later that it was removed', async () => {
    const { id: projectId } = await stores.tenancy.createProject({ name: 'expiring' }, ACTOR);
    const { id } = await stores.policy.createNamespace(projectId, 'api', RULE, ACTOR);
    const match = { kind: `'block'`, form: `'exact'`, match_text: `'user-' || n`, reason: `''` };
    const row = { author: `'a'`, revision: '1', created_at: '1', updated_at: '1', expires_at: '1' };
    await fill('rule_exceptions', { ...match, ...row, id: `'ex_' || n`, namespace_id: `'${id}'` });
    // A portion goes with each change.
    for (let change = 0; change < MANY / 1000; change++) {
      await stores.tenancy.createProject({ name: `another-${change}` }, ACTOR);
    }
    assert.equal(await count('rule_exceptions'), 0);
    assert.equal(await count('removed_exceptions'), MANY);
    stores.clock.advance(2 * DAY_MS);
    for (let change = 0; change < MANY / 1000; change++) {
      await stores.tenancy.createProject({ name: `later-${change}` }, ACTOR);
    }
    assert.equal(await count('removed_exceptions'), 0);
  });
});
