import type { SocketUnitName } from '../installed/socket-units.ts';

/** A place at which Brume listens by its configuration. */
export interface Listener {
  readonly variable: string;
  /** That opens it where Brume is installed as a service. */
  readonly unit: SocketUnitName;
  readonly place:
    | { readonly host: string; readonly port: number; readonly isTls: boolean }
    | { readonly path: string };
  /** As it is written. */
  readonly text: string;
}
