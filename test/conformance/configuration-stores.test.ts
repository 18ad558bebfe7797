import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SQL_DIALECTS } from '../support/sql-engines.ts';
import { auditAgeCases } from './configuration/audit-age-cases.ts';
import { auditCases } from './configuration/audit-cases.ts';
import { clearingCases } from './configuration/clearing-cases.ts';
import { exceptionCases } from './configuration/exception-cases.ts';
import { exceptionListCases } from './configuration/exception-list-cases.ts';
import { historyCases } from './configuration/history-cases.ts';
import { keyCases } from './configuration/key-cases.ts';
import { lostUpdateCases } from './configuration/lost-update-cases.ts';
import { memberCases } from './configuration/member-cases.ts';
import { namespaceCases } from './configuration/namespace-cases.ts';
import { organisationCases } from './configuration/organisation-cases.ts';
import { projectCases } from './configuration/project-cases.ts';
import { rollbackCases } from './configuration/rollback-cases.ts';
import { rulesCases } from './configuration/rules-cases.ts';
import { snapshotCases } from './configuration/snapshot-cases.ts';
import { ConfigurationStores } from './configuration/stores.ts';
import { tierCases } from './configuration/tier-cases.ts';
import { tokenCases } from './configuration/token-cases.ts';
import { usageCases } from './configuration/usage-cases.ts';
import { userCases } from './configuration/user-cases.ts';
import { userWriterCases } from './configuration/user-writer-cases.ts';

for (const dialect of SQL_DIALECTS) {
  describe(`configuration in ${dialect}`, () => {
    let opened: ConfigurationStores;
    const stores = () => opened;

    before(async () => {
      opened = await ConfigurationStores.open(dialect);
    });
    after(() => opened.close());

    projectCases(stores);
    organisationCases(stores);
    memberCases(stores);
    userCases(stores);
    userWriterCases(stores);
    tokenCases(stores);
    tierCases(stores);
    lostUpdateCases(stores);
    auditCases(stores);
    usageCases(stores);
    keyCases(stores);
    namespaceCases(stores);
    exceptionCases(stores);
    exceptionListCases(stores);
    rulesCases(stores);
    historyCases(stores);
    rollbackCases(stores);
    snapshotCases(stores);
    clearingCases(stores);
    auditAgeCases(stores);

    it('no method of a store is left out of this suite', () => {
      assert.deepEqual(opened.uncalled(), []);
    });
  });
}
