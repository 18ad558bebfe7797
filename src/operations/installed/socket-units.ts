import { unitProperties } from './unit-properties.ts';

const NAMES = ['brume.socket', 'brume-management.socket', 'brume-admin.socket'] as const;
const COLOURS = ['brume@blue.service', 'brume@green.service'];

export type SocketUnitName = (typeof NAMES)[number];

/** A unit that has systemd open a plane's sockets. */
interface SocketUnit {
  readonly isMasked: boolean;
  /** They are open. */
  readonly isActive: boolean;
  /** `127.0.0.1:8600`, `[::1]:8600`, `/run/brume/brume.sock`. */
  readonly places: readonly string[];
}

export type SocketUnits = Readonly<Record<SocketUnitName, SocketUnit>>;

/** Undefined: Brume's are not installed, or systemd doesn't run. */
export function socketUnits(): SocketUnits | undefined {
  const units = NAMES.map((name) => [name, socketUnit(name)] as const);
  return units.every(([, unit]) => unit !== undefined)
    ? (Object.fromEntries(units) as unknown as SocketUnits)
    : undefined;
}

function socketUnit(name: SocketUnitName): SocketUnit | undefined {
  const properties = unitProperties(name, ['ActiveState', 'Listen']);
  if (properties === undefined) return undefined;
  return {
    isMasked: properties.get('LoadState')?.[0] === 'masked',
    isActive: properties.get('ActiveState')?.[0] === 'active',
    places: (properties.get('Listen') ?? []).map((line) => line.replace(/ \(\w+\)$/, '')),
  };
}

/** The process of the colour that serves; undefined: none does. */
export function servingPid(): number | undefined {
  for (const unit of COLOURS) {
    const properties = unitProperties(unit, ['ActiveState', 'MainPID']);
    const pid = Number(properties?.get('MainPID')?.[0] ?? 0);
    if (properties?.get('ActiveState')?.[0] === 'active' && pid > 0) return pid;
  }
  return undefined;
}
