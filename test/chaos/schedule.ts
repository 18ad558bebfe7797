import { createRandom, type Random } from './random.ts';
import type { Fault, Rig } from './rigs/rig.ts';

/** Of all events; the others take a fraction of a second each. */
const LONG_SHARE = 0.08;

export interface Event {
  readonly fault: Fault;
  readonly random: Random;
}

/**
 * The fault that a seed has at a place. Each fault draws a lot and the highest is taken, so that one more fault
 * takes the places of some and leaves all others where they were.
 */
export function drawnEvent(rig: Pick<Rig, 'faults'>, seed: number, index: number): Event {
  const random = createRandom(hash(`${seed} ${index}`));
  const isLong = random.isLucky(LONG_SHARE);
  const lots = rig.faults
    .filter((fault) => fault.isLong === isLong)
    .map((fault) => ({
      fault,
      lot: createRandom(hash(`${seed} ${index} ${fault.name}`)).integer(0, 2 ** 31),
    }));
  const [first] = lots.sort((one, other) => other.lot - one.lot);
  if (first === undefined) throw new RangeError('no fault to choose from');
  return { fault: first.fault, random };
}

/** One that is named in place of the drawn one; all else is as the seed says. */
export function namedEvent(
  rig: Pick<Rig, 'faults' | 'topology'>,
  seed: number,
  index: number,
  name: string,
): Event {
  const fault = rig.faults.find((each) => each.name === name);
  if (fault === undefined) throw new RangeError(`${rig.topology} has no fault ${name}`);
  return { fault, random: createRandom(hash(`${seed} ${index}`)) };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 0x01000193);
  return state >>> 0;
}
