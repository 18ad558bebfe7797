import { deepEqual, equal, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type BrumeProcess, runBrume, type Settings, startBrume } from '../support/brume-process.ts';
import { countersAvailable } from '../support/counters-available.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startRedis } from '../support/redis-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { backupRows } from './moving-out/backup-rows.ts';
import { COUNTERS, EXCEPTIONS, fill } from './moving-out/fill.ts';
import { assertKeysWork, type ProjectKeys } from './moving-out/keys.ts';
import { SteadyLoad } from './moving-out/load.ts';
import {
  type Answered,
  askWithIds,
  assertAnsweredAgain,
  assertItHolds,
  type GivenOut,
  giveOut,
} from './moving-out/promises.ts';
import { assertSame, look, type Seen, sample } from './moving-out/seen.ts';

/** Embedded counters are on disk after half a second; on a busy machine somewhat later. */
const ON_DISK_MS = 2000;
/** A slow machine's stores must not be taken for dead ones. */
const PATIENT = { BRUME_REDIS_TIMEOUT_MS: '10000', BRUME_SQL_TIMEOUT_MS: '30000' };

const DIALECTS = ['sqlite', 'postgres'] as const;
type StateSettings = Settings & { readonly BRUME_STATE_DIR: string };
type Dialect = (typeof DIALECTS)[number];

/** The steps of one story, in their order: what one leaves the next one takes up. */
describe(`moving an installation with ${EXCEPTIONS} exceptions and ${COUNTERS} counted identifiers`, () => {
  const directory = temporaryDirectory({ after: (hook) => after(hook as () => void) });
  const cleanups: (() => Promise<unknown>)[] = [];
  const sampled = sample();
  let source: BrumeProcess;
  let keys: ReadonlyMap<string, ProjectKeys>;
  let given: GivenOut;
  let wanted: Seen;
  let answered: readonly Answered[];

  const inDirectory = (name: string) => join(directory, name);
  const shopKey = () => keys.get('shop')?.all ?? '';
  const stores: Record<Dialect, StateSettings> = {
    sqlite: { BRUME_STATE_DIR: inDirectory('sqlite') },
    postgres: { BRUME_STATE_DIR: inDirectory('postgres') },
  };

  before(async () => {
    stores.postgres = { ...stores.postgres, BRUME_DATABASE_URL: await newDatabase() };
    source = await start({ BRUME_STATE_DIR: inDirectory('source') });
    keys = await fill(source, directory);
    given = await giveOut(source, shopKey());
    wanted = await look(source, keys, sampled);
  });
  after(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  for (const dialect of DIALECTS) {
    const backup = inDirectory(`for-${dialect}.backup`);

    it(`a backup for ${dialect} is made while Brume serves: no check and no change fails or waits for it`, async () => {
      const load = new SteadyLoad(source, keys.get('busy')?.all ?? '');
      answered = await askWithIds(source, shopKey(), dialect);
      await delay(ON_DISK_MS);
      const { ...earlier } = load.soFar();
      await done(source.settings, 'backup', backup);
      const { ...later } = load.soFar();
      const { faults } = await load.stop();
      deepEqual(faults.slice(0, 3), []);
      ok(later.checks > earlier.checks, 'no check was answered meanwhile');
      ok(later.changes > earlier.changes, 'no change was made meanwhile');
    });

    it(`restored into ${dialect}, repeated requests get their first verdict, and it is the same installation`, async () => {
      const settings = stores[dialect];
      await done(settings, 'restore', backup);
      // Before anything is changed in it.
      await done(settings, 'backup', inDirectory(`of-${dialect}.backup`));
      const brume = await start(settings);
      await assertAnsweredAgain(brume, shopKey(), answered);
      await assertSameInstallation(brume);
      equal(await brume.stop(), 0);
    });
  }

  it('from SQLite to PostgreSQL and back, no row of a backup is another', async () => {
    const settings = { BRUME_STATE_DIR: inDirectory('back') };
    await done(settings, 'restore', inDirectory('of-postgres.backup'));
    await done(settings, 'backup', inDirectory('back.backup'));
    for (const [from, to] of [
      ['for-sqlite', 'of-sqlite'],
      ['for-postgres', 'of-postgres'],
      ['of-postgres', 'back'],
    ]) {
      const first = backupRows(inDirectory(`${from}.backup`));
      const rows = backupRows(inDirectory(`${to}.backup`));
      ok(first.length > EXCEPTIONS);
      equal(rows.length, first.length);
      const at = first.findIndex((row, index) => row !== rows[index]);
      equal(rows[at], first[at], to);
    }
  });

  it('moved to PostgreSQL and Redis, it is the same installation', async () => {
    answered = await askWithIds(source, shopKey(), 'move');
    equal(await source.stop(), 0);
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    const url = await newDatabase();
    const moved = await done(source.settings, 'move', '--to', url, '--redis', redis.url);
    ok(Number(moved.identifiers) >= COUNTERS);
    equal(moved.damaged, 0);
    const settings = {
      BRUME_STATE_DIR: inDirectory('source'),
      BRUME_DATABASE_URL: url,
      BRUME_REDIS_URL: redis.url,
    };
    const brume = await start(settings);
    await assertAnsweredAgain(brume, shopKey(), answered);
    await assertSameInstallation(brume);
  });

  async function assertSameInstallation(brume: BrumeProcess): Promise<void> {
    assertSame(await look(brume, keys, sampled), wanted);
    await assertKeysWork(brume, keys);
    await assertItHolds(brume, shopKey(), given);
  }

  async function newDatabase(): Promise<string> {
    const database = await createTestDatabase();
    cleanups.push(() => database.drop());
    return database.url;
  }

  async function start(settings: StateSettings): Promise<BrumeProcess> {
    const socket = join(settings.BRUME_STATE_DIR, 'admin.sock');
    const brume = await startBrume({ ...PATIENT, BRUME_ADMIN_SOCKET: socket, ...settings }, directory);
    cleanups.push(() => brume.stop());
    await countersAvailable(brume);
    return brume;
  }
});

/** Runs a command that must succeed; what it says as JSON. */
async function done(settings: Settings, ...command: string[]): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await runBrume({ ...settings, ...PATIENT }, ...command, '--json');
  equal(exitCode, 0, `brume ${command.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}
