import type { ConfigFault } from './config-error.ts';
import type { Environment } from './environment.ts';
import type { Given } from './given.ts';

/** What the service manager gives to the service besides the configuration file, as a command by hand finds it. */
export interface ServiceSettings {
  /** `BRUME_…` variables of its unit. */
  readonly variables: ReadonlyMap<string, Given>;
  /** The file of each credential that is there, by its name: `brume_redis_url`. */
  readonly credentials: ReadonlyMap<string, string>;
  /** Credentials that are there, and that systemd can't give to the service; by their names. */
  readonly unusable: ReadonlyMap<string, ConfigFault>;
  /** Credentials that the service is given, and a command by hand can't read; by their names. */
  readonly sealed: ReadonlyMap<string, ConfigFault>;
  /** Why more may be there than was found. */
  readonly faults: readonly ConfigFault[];
}

/** Whoever runs the command gives this setting, or this secret by file: what the service has of it doesn't count. */
export function isGivenBy(env: Environment, variable: string): boolean {
  const secret = variable.replace(/_FILE$/, '');
  return [variable, secret, `${secret}_FILE`].some((name) => env[name] !== undefined);
}
