import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/limiter/clock.ts';
import { parseRule } from '../../../src/policy/rule-input.ts';
import { KeyCache } from '../../../src/stores/cache/key-cache.ts';
import { SnapshotCache } from '../../../src/stores/cache/snapshot-cache.ts';
import { systemTimers } from '../../../src/stores/cache/timers.ts';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import { openSql } from '../../../src/stores/sql/open-sql.ts';
import { SqlKeyDirectory } from '../../../src/stores/sql/sql-key-directory.ts';
import { SqlPolicyStore } from '../../../src/stores/sql/sql-policy-store.ts';
import { SqlSnapshotSource } from '../../../src/stores/sql/sql-snapshot-source.ts';
import { SqlTenancyStore } from '../../../src/stores/sql/sql-tenancy-store.ts';
import { newApiKeySecret } from '../../../src/tenancy/api-key-secret.ts';
import { ACTOR, BY } from '../../conformance/configuration/samples.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recorded-log.ts';

/** A node's view of one PostgreSQL: what it manages, and what its checks look up. */
async function startNode(databaseUrl: string) {
  const log = new RecordedLog();
  const sql = await openSql({ databaseUrl, stateDir: '', sqlTimeoutMs: 10_000 }, log);
  await migrate(sql);
  const keys = new KeyCache({
    directory: new SqlKeyDirectory(sql),
    clock: systemClock,
    timers: systemTimers,
    // So long that only the revision can end an entry.
    keyCacheMs: 3_600_000,
    unknownKeyCacheMs: 3_600_000,
    keyLookupTimeoutMs: 10_000,
  });
  const snapshot = new SnapshotCache({
    source: new SqlSnapshotSource(sql),
    clock: systemClock,
    timers: systemTimers,
    log,
    propagationMs: 20,
    onChange: (hasChanged) => keys.invalidate(hasChanged),
  });
  await snapshot.start();
  const changes = { onCommit: () => snapshot.refresh() };
  return {
    keys,
    snapshot,
    tenancy: new SqlTenancyStore(sql, changes),
    policy: new SqlPolicyStore(sql, changes),
    async stop() {
      await snapshot.stop();
      await sql.close();
    },
  };
}

/** Comes true by itself, through polling alone. */
async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 30_000;
  while (!(await condition())) {
    assert.ok(performance.now() < endMs, 'it never came about');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const rule = (limit: number) =>
  parseRule({ limits: [{ algorithm: 'fixed_window', limit, windowMs: 60_000 }] });

describe('two nodes on one PostgreSQL', () => {
  let database: TestDatabase;
  let one: Awaited<ReturnType<typeof startNode>>;
  let two: Awaited<ReturnType<typeof startNode>>;

  before(async () => {
    database = await createTestDatabase();
    [one, two] = await Promise.all([startNode(database.url), startNode(database.url)]);
  });
  after(async () => {
    await one.stop();
    await two.stop();
    await database.drop();
  });

  it('hash identifiers under the same secret', () => {
    assert.deepEqual(one.snapshot.identifierSecret(), two.snapshot.identifierSecret());
  });

  it('both decide by a change: the one that made it at once, the other soon after', async () => {
    const { id } = await one.tenancy.createProject({ name: 'shared' }, ACTOR);
    const limitOf = (node: typeof one) => node.snapshot.namespace(id, 'api')?.rule.limits[0]?.limit;
    await one.policy.createNamespace(id, 'api', rule(10), ACTOR);
    assert.equal(limitOf(one), 10);
    await eventually(() => limitOf(two) === 10);
    await two.policy.updateNamespace(id, 'api', rule(20), BY);
    assert.equal(limitOf(two), 20);
    await eventually(() => limitOf(one) === 20);
    await two.policy.deleteNamespace(id, 'api', BY);
    assert.equal(limitOf(two), undefined);
    await eventually(() => limitOf(one) === undefined);
  });

  it('both know a new key, and neither takes it once it is revoked', async () => {
    const { id } = await one.tenancy.createProject({ name: 'keys' }, ACTOR);
    const { prefix, sha256 } = newApiKeySecret('service');
    assert.equal(await two.keys.find(sha256), undefined);
    const key = await one.tenancy.createKey(
      id,
      {
        name: 'k',
        kind: 'service',
        scopes: ['limit'],
        prefix,
        sha256,
        expiresAtMs: null,
      },
      ACTOR,
    );
    assert.equal((await one.keys.find(sha256))?.id, key.id);
    await eventually(async () => (await two.keys.find(sha256)) !== undefined);
    await two.tenancy.revokeKey(id, key.id, ACTOR);
    assert.equal(await two.keys.find(sha256), undefined);
    await eventually(async () => (await one.keys.find(sha256)) === undefined);
  });

  it('neither takes the keys of a deleted project', async () => {
    const { id } = await one.tenancy.createProject({ name: 'deleted' }, ACTOR);
    const { prefix, sha256 } = newApiKeySecret('service');
    const key = { name: 'k', kind: 'service', scopes: ['limit'], prefix, sha256, expiresAtMs: null } as const;
    await one.tenancy.createKey(id, key, ACTOR);
    await eventually(async () => (await two.keys.find(sha256)) !== undefined);
    await one.tenancy.deleteProject(id, BY);
    assert.equal(await one.keys.find(sha256), undefined);
    await eventually(async () => (await two.keys.find(sha256)) === undefined);
  });

  it('both go on when their connections are cut, and miss nothing (B55)', async () => {
    const { id } = await one.tenancy.createProject({ name: 'cut' }, ACTOR);
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'brume' and datname = current_database()`,
    );
    await eventually(() =>
      one.policy.createNamespace(id, 'api', rule(1), ACTOR).then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => two.snapshot.namespace(id, 'api') !== undefined);
    await eventually(() => !one.snapshot.state().isStale && !two.snapshot.state().isStale);
  });
});
