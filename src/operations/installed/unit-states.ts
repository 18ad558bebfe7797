import type { Target } from '../../client/target.ts';
import { socketUnits } from './socket-units.ts';
import { unitProperties } from './unit-properties.ts';

/** `changing`: it starts, stops or waits to be started again; `unknown`: systemd doesn't run here, or has no such unit. */
export const UNIT_STATES = ['active', 'changing', 'inactive', 'unknown'] as const;
export type UnitState = (typeof UNIT_STATES)[number];

/** What systemd says of an installed Brume: of what switches its processes, and of the processes. */
export interface UnitStates {
  readonly service: UnitState;
  /** Of two the one that serves, or will. */
  readonly process: UnitState;
}

export const UNKNOWN_UNITS: UnitStates = { service: 'unknown', process: 'unknown' };

const CHANGING = new Set(['activating', 'deactivating', 'reloading', 'refreshing', 'maintenance']);

/** Of the units behind an admin socket; one that systemd doesn't open may be that of a Brume which no unit runs. */
export function unitStatesBehind(target: Target): UnitStates {
  const places = socketUnits()?.['brume-admin.socket'].places ?? [];
  return 'socketPath' in target && places.includes(target.socketPath) ? unitStates() : UNKNOWN_UNITS;
}

export function unitStates(stateOf: (unit: string) => string | undefined = activeState): UnitStates {
  const colours = ['brume@blue.service', 'brume@green.service'].map((unit) => judged(stateOf(unit)));
  return {
    service: judged(stateOf('brume.service')),
    process: UNIT_STATES.find((state) => colours.includes(state)) ?? 'unknown',
  };
}

function judged(state: string | undefined): UnitState {
  if (state === undefined) return 'unknown';
  if (state === 'active') return 'active';
  return CHANGING.has(state) ? 'changing' : 'inactive';
}

function activeState(unit: string): string | undefined {
  return unitProperties(unit, ['ActiveState'])?.get('ActiveState')?.[0];
}
