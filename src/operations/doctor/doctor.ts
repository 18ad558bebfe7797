import { examineCertificates } from './certificates.ts';
import { examineDescriptors } from './descriptors.ts';
import { examineDisk } from './disk.ts';
import { CHECKS, type CheckName, codeOf, type Finding, tellerOf } from './finding.ts';
import { examineListeners } from './listeners.ts';
import type { Patient } from './patient.ts';
import { examinePermissions } from './permissions.ts';
import { examineProxyTrust } from './proxy-trust.ts';
import { examineService } from './service.ts';
import { examineStores } from './stores.ts';

/** Each examination, by the check that is told of if it fails itself. */
const EXAMINATIONS: readonly (readonly [CheckName, (patient: Patient) => Finding[] | Promise<Finding[]>])[] =
  [
    ['service', examineService],
    ['listeners', examineListeners],
    ['permissions', examinePermissions],
    ['stores', examineStores],
    ['proxy-trust', examineProxyTrust],
    ['disk', examineDisk],
    ['descriptors', examineDescriptors],
    ['certificates', examineCertificates],
  ];

/** Looks at everything, changes nothing, and never rejects. */
export async function examine(patient: Patient): Promise<Finding[]> {
  const findings = await Promise.all(EXAMINATIONS.map((one) => examined(one, patient)));
  return findings.flat().sort((one, other) => CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check));
}

async function examined(
  [check, examination]: (typeof EXAMINATIONS)[number],
  patient: Patient,
): Promise<Finding[]> {
  try {
    return await examination(patient);
  } catch (error) {
    return [tellerOf(check).unseen(`It could not be looked at: ${codeOf(error)}.`, 'Please report this.')];
  }
}
