/**
 * A second process for sqlite-sql.test.ts: opens the state directory given. `try` prints the error
 * of doing so; `hold` commits a project, says so and stays until it is killed.
 */
import { migrate } from '../../../src/stores/sql/migrate.ts';
import { SqlTenancyStore } from '../../../src/stores/sql/sql-tenancy-store.ts';
import { SqliteSql } from '../../../src/stores/sql/sqlite-sql.ts';
import { ACTOR } from '../../conformance/configuration/samples.ts';

const [stateDir = '', mode] = process.argv.slice(2);

try {
  const sql = await SqliteSql.open({ stateDir, timeoutMs: 1000 });
  if (mode === 'hold') {
    await migrate(sql);
    await new SqlTenancyStore(sql).createProject({ name: 'committed' }, ACTOR);
    setInterval(() => undefined, 1000);
  }
  console.log('opened');
} catch (error) {
  console.log(String(error));
}
