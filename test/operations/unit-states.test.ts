import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unitStates } from '../../src/operations/installed/unit-states.ts';

/** As systemd says of brume.service, the blue and the green process. */
function seen(service: string | undefined, blue: string | undefined, green: string | undefined) {
  const states = new Map([
    ['brume.service', service],
    ['brume@blue.service', blue],
    ['brume@green.service', green],
  ]);
  return unitStates((unit) => states.get(unit));
}

describe('the states of the units', () => {
  it('are those of the service, and of the process that serves or will', () => {
    deepEqual(seen('active', 'inactive', 'active'), { service: 'active', process: 'active' });
    deepEqual(seen('reloading', 'activating', 'active'), { service: 'changing', process: 'active' });
    deepEqual(seen('active', 'inactive', 'inactive'), { service: 'active', process: 'inactive' });
    deepEqual(seen('activating', 'failed', 'activating'), { service: 'changing', process: 'changing' });
    deepEqual(seen('active', 'deactivating', 'inactive'), { service: 'active', process: 'changing' });
    deepEqual(seen('failed', 'failed', 'inactive'), { service: 'inactive', process: 'inactive' });
  });

  it('are not known where systemd does not run, or has no such unit', () => {
    deepEqual(seen(undefined, undefined, undefined), { service: 'unknown', process: 'unknown' });
  });
});
