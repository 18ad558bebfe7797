/**
 * How long a backup, a restore and a move take, and the most memory that each needs.
 *
 *     node scripts/measure-backup.ts [--exceptions 100000] [--identifiers 20000]
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/limiter/clock.ts';
import { backupToFile } from '../src/operations/backup/backup.ts';
import { move } from '../src/operations/move/move.ts';
import { restore } from '../src/operations/restore/restore.ts';
import { EmbeddedCounters } from '../src/stores/embedded/embedded-counters.ts';
import { EntryTable } from '../src/stores/embedded/entry-table.ts';
import { writeCounters } from '../src/stores/embedded/stored-counters.ts';
import { fill, write } from '../test/operations/stores.ts';
import { freshKey, setOf } from '../test/support/counter-engines.ts';
import { createTestDatabase } from '../test/support/postgres.ts';
import { startRedis } from '../test/support/redis-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    exceptions: { type: 'string', default: '100000' },
    identifiers: { type: 'string', default: '20000' },
  },
});

/** One operation in a process of its own, since memory is measured by the process. */
const PHASES: Readonly<Record<string, (...args: string[]) => Promise<unknown>>> = {
  async fill(stateDir = '', exceptions = '', identifiers = '') {
    await write(configOf(stateDir), (transaction) => fill(transaction, Number(exceptions)));
    const entries = new EntryTable();
    const counters = new EmbeddedCounters({
      clock: systemClock,
      identifiersMax: Number(identifiers),
      entries,
    });
    const set = setOf({ algorithm: 'sliding_log', limit: 100, windowMs: 86_400_000 });
    const keys = Array.from({ length: Number(identifiers) }, freshKey);
    await Promise.all(keys.map((key) => counters.check({ key, set, cost: 1, peek: false })));
    await writeCounters({ stateDir, clock: systemClock }, entries.entries());
  },
  backup: (stateDir = '', path = '') => backupToFile(configOf(stateDir), path),
  restore: (stateDir = '', path = '', url = '') =>
    restore(configOf(stateDir, url), { input: createReadStream(path), name: path, isReplacing: true }),
  move: (stateDir = '', to = '', redis = '') => move(configOf(stateDir), { to, redis }),
};

function configOf(stateDir: string, url = '') {
  return { stateDir, databaseUrl: url === '' ? null : url, redisUrl: null, sqlTimeoutMs: 60_000 };
}

const [phase = ''] = positionals;
if (phase in PHASES) {
  const startMs = performance.now();
  await PHASES[phase]?.(...positionals.slice(1));
  const rssMiB = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ seconds: (performance.now() - startMs) / 1000, rssMiB }));
} else {
  await measure();
}

async function measure(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'brume-measure-'));
  const [source, target, path] = ['source', 'target', 'x.backup'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const databases = [await createTestDatabase(), await createTestDatabase()] as const;
  const redis = await startRedis();
  try {
    run('fill', source, values.exceptions, values.identifiers);
    console.log(
      `| ${values.exceptions} exceptions, ${values.identifiers} identifiers | seconds | most memory |`,
    );
    console.log('|---|---|---|');
    show('backup of SQLite', run('backup', source, path));
    show('restore into SQLite', run('restore', target, path));
    show('restore into PostgreSQL', run('restore', join(directory, 'third'), path, databases[0].url));
    show('move to PostgreSQL and Redis', run('move', source, databases[1].url, redis.url));
    console.log(`\nThe file has ${(statSync(path).size / 1024 / 1024).toFixed(1)} MiB.`);
  } finally {
    await redis.stop();
    for (const database of databases) await database.drop();
    rmSync(directory, { recursive: true });
  }
}

function run(...args: string[]): { readonly seconds: number; readonly rssMiB: number } {
  return JSON.parse(execFileSync(process.execPath, [import.meta.filename, ...args], { encoding: 'utf8' }));
}

function show(name: string, { seconds, rssMiB }: ReturnType<typeof run>): void {
  console.log(`| ${name} | ${seconds.toFixed(1)} | ${rssMiB.toFixed(0)} MiB |`);
}
