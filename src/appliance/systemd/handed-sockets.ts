import type { Config } from '../../config/config.ts';
import { ConfigError, type ConfigFault } from '../../config/config-error.ts';
import { isLoopback } from '../../config/kinds/listen-address.ts';
import type { ServiceManager } from '../../config/service-manager.ts';
import type { TcpAddress } from '../listen.ts';
import { type BoundAddress, boundAddressOf } from './bound-address.ts';

/** `FileDescriptorName=` of the socket units. */
const PLANES = ['data', 'management', 'admin'] as const;
type PlaneName = (typeof PLANES)[number];

/** A listening socket that systemd opened, and keeps open when this process ends. */
export interface HandedSocket {
  readonly plane: PlaneName;
  readonly fd: number;
  readonly address: BoundAddress;
}

const UNITS = {
  data: 'brume.socket',
  management: 'brume-management.socket',
  admin: 'brume-admin.socket',
} as const satisfies Record<PlaneName, string>;

const WHERE = 'systemd';

/**
 * The sockets that systemd hands over; undefined: it hands over none, and none are demanded, so that the
 * process opens its own. It never does both: a port of its own beside systemd's would be reported as ready
 * while the sockets that callers use have nobody behind them.
 *
 * @throws ConfigError if none of the data plane is there, one has a name that is not known, or the
 *   configuration says something else of where the planes are.
 */
export function handedSockets(
  config: Pick<Config, 'listen' | 'managementListen'>,
  { sockets }: Pick<ServiceManager, 'sockets'>,
  { areDemanded, addressOf = boundAddressOf }: { areDemanded: boolean; addressOf?: typeof boundAddressOf },
): readonly HandedSocket[] | undefined {
  if (sockets.length === 0 && !areDemanded) return undefined;
  const faults: ConfigFault[] = [];
  const handed: HandedSocket[] = [];
  for (const { name, fd } of sockets) {
    const plane = PLANES.find((known) => known === name);
    const address = addressOf(fd);
    if (plane === undefined) faults.push(unknownName(name));
    else if (address === undefined) faults.push(notListening(plane));
    else handed.push({ plane, fd, address });
  }
  const ofPlane = (plane: PlaneName) => handed.filter((socket) => socket.plane === plane);
  if (faults.length === 0 && ofPlane('data').length === 0) faults.push(withoutData());
  const tcp = (plane: PlaneName) =>
    ofPlane(plane).flatMap(({ address }) => ('port' in address ? address : []));
  const data = tcp('data');
  // Of several addresses of the data plane the configuration can name but one.
  if (data.length > 0 && !data.some((address) => isSame(address, config.listen))) {
    faults.push(elsewhere('BRUME_LISTEN', 'data', { configured: config.listen, bound: data }));
  }
  // Whether it needs TLS is judged by the configured address.
  const management = tcp('management');
  if (management.some((address) => !isSame(address, config.managementListen))) {
    const places = { configured: config.managementListen, bound: management };
    faults.push(elsewhere('BRUME_MANAGEMENT_LISTEN', 'management', places));
  }
  if (ofPlane('management').length > management.length) faults.push(managementOnPath());
  if (faults.length > 0) throw new ConfigError(faults);
  return handed;
}

/** `127.0.0.1:8600`, `[::1]:8600` or a path. */
export function addressText(address: BoundAddress): string {
  if ('path' in address) return address.path;
  const { host, port } = address;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function isSame(bound: TcpAddress, configured: TcpAddress | null): boolean {
  if (configured === null || bound.port !== configured.port) return false;
  if (configured.host === 'localhost') return isLoopback(bound.host);
  return normalised(bound.host) === normalised(configured.host);
}

function normalised(host: string): string {
  return host.includes(':') ? new URL(`http://[${host}]`).hostname : host;
}

function withoutData(): ConfigFault {
  return {
    variable: null,
    where: WHERE,
    problem: 'it handed over no socket of the data plane, and Brume opens none of its own beside it',
    remedy: `Start the whole with systemctl start brume, and see systemctl status ${UNITS.data}`,
  };
}

function unknownName(name: string): ConfigFault {
  return {
    variable: null,
    where: WHERE,
    problem: `it handed over a socket named ${JSON.stringify(name)}`,
    remedy: `FileDescriptorName= of the socket unit must be one of ${PLANES.join(', ')}`,
  };
}

function notListening(plane: PlaneName): ConfigFault {
  return {
    variable: null,
    where: WHERE,
    problem: `what it handed over as ${plane} is no listening stream socket`,
    remedy: `${UNITS[plane]} must have ListenStream= and no Accept=yes`,
  };
}

function managementOnPath(): ConfigFault {
  return {
    variable: null,
    where: WHERE,
    problem: 'it handed over a Unix socket of the management plane, which serves none',
    remedy: `Remove the path from ${UNITS.management}; ${UNITS.admin} is the Unix socket of management`,
  };
}

function elsewhere(
  variable: 'BRUME_LISTEN' | 'BRUME_MANAGEMENT_LISTEN',
  plane: PlaneName,
  { configured, bound }: { configured: TcpAddress | null; bound: readonly TcpAddress[] },
): ConfigFault {
  const unit = UNITS[plane];
  const places = bound.map(addressText).join(' and ');
  const said = configured === null ? 'off' : addressText(configured);
  const isToBeOff = configured === null && plane === 'management';
  const remedy = isToBeOff
    ? `To switch the plane off, systemctl mask --now ${unit}`
    : `Say the same here and as ListenStream= in systemctl edit ${unit}; then systemctl stop brume, and start`;
  return {
    variable,
    where: WHERE,
    problem: `it is ${said}, but systemd listens on ${places}`,
    remedy,
  };
}
