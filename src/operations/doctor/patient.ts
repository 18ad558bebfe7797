import type { RedisAccess } from '../../stores/redis/redis-address.ts';
import type { SocketUnits } from '../installed/socket-units.ts';
import type { StoresToProve } from '../prove-stores.ts';
import type { Running } from './running.ts';

interface TcpAddress {
  readonly host: string;
  readonly port: number;
}

/** Those of the settings that doctor goes by. */
export interface ExaminedSettings extends StoresToProve {
  readonly listen: TcpAddress | null;
  readonly socket: string | null;
  readonly adminSocket: string;
  readonly managementListen: TcpAddress | null;
  readonly managementTlsCert: string | null;
  readonly managementTlsKey: string | null;
  readonly redisTlsCa: string | null;
  readonly redisTlsCert: string | null;
  readonly redisTlsKey: string | null;
  /** In CIDR notation. */
  readonly trustedProxies: readonly string[];
  /** Of each listener. */
  readonly connectionsMax: number;
}

/** A file with settings or secrets, and the setting that it stands for; null: the configuration file itself. */
export interface GivenFile {
  readonly path: string;
  readonly variable: string | null;
  /** Something in it must not be read by everybody. */
  readonly isSecret: boolean;
  /** systemd reads it, as root, and gives Brume a copy. */
  readonly isCredential?: boolean;
}

/** What systemd says of an installed Brume. */
interface Installed {
  /** As whom its unit runs it. */
  readonly user: string | undefined;
  readonly sockets: SocketUnits;
}

/** What is examined. */
export interface Patient {
  readonly settings: ExaminedSettings;
  readonly access: RedisAccess;
  readonly files: readonly GivenFile[];
  readonly running: Running;
  /** Of the Brume that is installed as a service, if it is this one. */
  readonly installed: Installed | undefined;
  /** A URL that a proxy in front of Brume serves, through which a forged header is sent. */
  readonly through: URL | undefined;
}
