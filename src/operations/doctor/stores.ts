import { proveStores } from '../prove-stores.ts';
import { examineEmbedded } from './embedded.ts';
import { type Finding, tellerOf } from './finding.ts';
import type { Patient } from './patient.ts';
import { proofFindings } from './store-findings.ts';

/** The stores, whatever they are: whether they can be used, their schema, their clocks and Redis's policy. */
export async function examineStores(patient: Patient): Promise<Finding[]> {
  const { settings, access } = patient;
  const findings = [
    ...proofFindings(await proveStores(settings, access)),
    ...(await examineEmbedded(patient)),
  ];
  if (settings.redisUrl === null)
    findings.push(tellerOf('redis-policy').ok('There is no Redis: the counters are embedded.'));
  for (const check of ['schema', 'clocks', 'redis-policy'] as const) {
    if (!findings.some((finding) => finding.check === check))
      findings.push(tellerOf(check).unseen("The store can't be asked.", 'See what stands of it at stores.'));
  }
  return findings;
}
