/**
 * A process for kill.test.ts to kill: prints what it finds in the state directory given, as JSON, and then
 * makes projects and counts without end, with a line for each once it is acknowledged.
 */
import { systemClock } from '../../../src/limiter/clock.ts';
import { systemTimers } from '../../../src/stores/cache/timers.ts';
import { openEmbeddedCounters } from '../../../src/stores/embedded/open-embedded-counters.ts';
import { migrate } from '../../../src/stores/sql/migrate.ts';
import { SqlTenancyStore } from '../../../src/stores/sql/sql-tenancy-store.ts';
import { SqliteSql } from '../../../src/stores/sql/sqlite-sql.ts';
import { ACTOR } from '../../conformance/configuration/samples.ts';
import { quotaOf, setOf } from '../../support/counter-engines.ts';

const [stateDir = '', prefix = ''] = process.argv.slice(2);
const LIMIT = 1_000_000;
const check = { key: 'a'.repeat(22), set: setOf(quotaOf(LIMIT, 'never')), cost: 1, peek: false };

const sql = await SqliteSql.open({ stateDir, timeoutMs: 60_000 });
await migrate(sql);
const tenancy = new SqlTenancyStore(sql);
const log = { info: () => undefined, warn: console.error, error: console.error };
const counters = await openEmbeddedCounters({
  stateDir,
  isDirectoryOwned: true,
  clock: systemClock,
  timers: systemTimers,
  log,
  identifiersMax: 1000,
});

const { limits } = await counters.check({ ...check, cost: 0, peek: true });
const projects = (await tenancy.listProjects()).map(({ name }) => name);
console.log(JSON.stringify({ used: LIMIT - (limits[0]?.remaining ?? 0), projects }));
await Promise.all([makeProjects(), count()]);

async function makeProjects(): Promise<never> {
  for (let n = 0; ; n++) {
    await tenancy.createProject({ name: `${prefix}-${n}` }, ACTOR);
    console.log(`project ${prefix}-${n}`);
  }
}

/** Slowly enough that no limit is reached. */
async function count(): Promise<never> {
  for (;;) {
    await counters.check(check);
    console.log(`count ${Date.now()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
