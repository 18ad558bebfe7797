import { ConfigError, type ConfigFault } from '../../src/config/config-error.ts';
import { type LoadOptions, loadConfig } from '../../src/config/load-config.ts';

/** A default file that does not exist, so that the machine's own never counts. */
const NO_FILE = '/nonexistent/brume.conf';

/** Loads without the machine's own file and environment. */
export function load(env: Record<string, string>, options: LoadOptions = {}) {
  return loadConfig({ env, defaultFile: NO_FILE, ...options });
}

/** The faults of a configuration; none if it is right. */
export function faultsOf(env: Record<string, string>, options: LoadOptions = {}): readonly ConfigFault[] {
  try {
    load(env, options);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}
