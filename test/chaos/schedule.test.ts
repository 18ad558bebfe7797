import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fault } from './rigs/rig.ts';
import { drawnEvent, namedEvent } from './schedule.ts';

function faultsOf(...names: string[]): Fault[] {
  return names.map((name) => ({ name, isLong: name.startsWith('long'), run: async () => '' }));
}

const FAULTS = faultsOf('one', 'two', 'three', 'long one', 'long two');

function drawn(faults: readonly Fault[], seed: number): string[] {
  return Array.from({ length: 200 }, (_, index) => drawnEvent({ faults }, seed, index).fault.name);
}

describe('the schedule of the chaos suite', () => {
  it('is the same for the same seed, and another for another', () => {
    deepEqual(drawn(FAULTS, 7), drawn(FAULTS, 7));
    ok(drawn(FAULTS, 7).join() !== drawn(FAULTS, 8).join());
  });

  it('has all faults, and one in twelve is long', () => {
    const names = [1, 2, 3, 4, 5].flatMap((seed) => drawn(FAULTS, seed));
    equal(new Set(names).size, FAULTS.length);
    const long = names.filter((name) => name.startsWith('long')).length;
    ok(long > 50 && long < 120, `${long} of 1000`);
  });

  it('stays as it is where a further fault is not drawn', () => {
    const before = drawn(FAULTS, 7);
    const after = drawn([...FAULTS, ...faultsOf('four')], 7);
    const others = after.flatMap((name, index) => (name === 'four' ? [] : [index]));
    ok(others.length > 100 && others.length < 200);
    for (const index of others) equal(after[index], before[index]);
  });

  it('takes the faults that are named, with what the seed draws for them', () => {
    const rig = { faults: FAULTS, topology: 'single' } as const;
    const { fault, random } = namedEvent(rig, 7, 3, 'two');
    equal(fault.name, 'two');
    equal(random.integer(0, 1e9), namedEvent(rig, 7, 3, 'one').random.integer(0, 1e9));
    throws(() => namedEvent(rig, 7, 3, 'none'), /single has no fault none/);
  });
});
