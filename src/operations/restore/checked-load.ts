import { type LoadOptions, loadDump } from '../../stores/sql/dump/load-dump.ts';
import { clearCounters, hasCounters } from '../../stores/sql/dump/load-into-state-dir.ts';
import { outrunSnapshots } from '../../stores/sql/dump/outrun-snapshots.ts';
import { lookAtTarget, type Target } from '../../stores/sql/dump/target.ts';
import { findIdentifierSecret } from '../../stores/sql/identifier-secret.ts';
import { NODE_GONE_AFTER_MS } from '../../stores/sql/node-registry.ts';
import { lockMigrations } from '../../stores/sql/schema-migrations.ts';
import type { SqlTransaction } from '../../stores/sql/sql.ts';
import type { OpenBackup } from '../backup/read-backup.ts';
import { OperationError } from '../operation-error.ts';

export interface CheckedLoadOptions {
  readonly backup: OpenBackup;
  readonly isReplacing: boolean;
  readonly counters: LoadOptions['counters'];
}

export interface Loaded {
  readonly revision: number;
  readonly identifierSecret: Uint8Array;
}

/** Loads a backup within a transaction, unless something speaks against it; resolves with what it is now. */
export async function checkedLoad(
  transaction: SqlTransaction,
  { backup, isReplacing, counters }: CheckedLoadOptions,
): Promise<Loaded> {
  const { header } = backup;
  const nowMs = Date.now();
  await lockMigrations(transaction);
  const target = await lookAtTarget(transaction);
  assertNobodyServes(target);
  if (!isReplacing) {
    const hasCounts = counters !== undefined && (await hasCounters(counters));
    assertEmpty(hasCounts ? [...target.filled, 'embedded counters'] : target.filled);
  }
  if (counters !== undefined) await clearCounters(counters, header.countersFormat);
  await loadDump(transaction, backup.items, {
    schema: header.schema,
    target,
    nowMs,
    ...(counters !== undefined && { counters }),
  });
  const revision = await outrunSnapshots(transaction, {
    replacedRevision: target.installation?.revision ?? 0,
    dumpedAtMs: Date.parse(header.createdAt),
    nowMs,
  });
  return { revision, identifierSecret: (await findIdentifierSecret(transaction)) ?? new Uint8Array() };
}

export function assertNobodyServes({ liveNodes: [node] }: Pick<Target, 'liveNodes'>): void {
  if (node === undefined) return;
  throw new OperationError(
    `A node serves from this database: process ${node.pid} on ${node.host}. Stop every node first (systemctl stop ` +
      `brume). One that has crashed counts as gone ${NODE_GONE_AFTER_MS / 1000} s after its last sign.`,
  );
}

function assertEmpty(filled: readonly string[]): void {
  if (filled.length === 0) return;
  throw new OperationError(
    `The store is not empty (${filled.join(', ')}). With --replace the backup takes the place of all that is in it.`,
  );
}
