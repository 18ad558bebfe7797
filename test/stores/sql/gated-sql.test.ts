import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatedSql } from '../../../src/stores/sql/gated-sql.ts';
import { isPostgresAway } from '../../../src/stores/sql/postgres-away.ts';
import type { Sql } from '../../../src/stores/sql/sql.ts';
import { sqlFault } from '../../../src/stores/sql/sql-fault.ts';

test('nothing passes a gate that is not open: calls are refused at once, as if the database were away', async () => {
  const asked: string[] = [];
  const sql: Sql = {
    dialect: 'postgres',
    all: async (statement) => {
      asked.push(statement);
      return [];
    },
    transaction: async () => assert.fail('nothing is written'),
    close: async () => undefined,
  };
  const gate = new GatedSql(sql);
  await assert.rejects(gate.all('select 1'), { code: 'store_unavailable' });
  await assert.rejects(
    gate.transaction(async () => 1),
    { code: 'store_unavailable' },
  );
  assert.deepEqual(asked, []);
  gate.open();
  assert.deepEqual(await gate.all('select 2'), []);
  assert.deepEqual(asked, ['select 2']);
});

test('a PostgreSQL is away where it may come back as it is, and not where it refuses what it is asked', () => {
  const answer = (code: string) => Object.assign(new Error(code), { severity: 'ERROR', code });
  for (const code of ['08006', '28P01', '3D000', '53300', '57P03', '58030', '25006']) {
    assert.ok(isPostgresAway(sqlFault(answer(code))), code);
  }
  assert.ok(isPostgresAway(sqlFault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))));
  for (const code of ['42501', '42P01', '25P02', '23514']) {
    assert.ok(!isPostgresAway(sqlFault(answer(code))), code);
  }
  assert.ok(!isPostgresAway(new Error('a bug')));
});
