import type { Config } from '../../config/config.ts';
import { loadConfigWithSettings, type Setting } from '../../config/load-config.ts';
import type { StoresOwner } from '../../operations/installed/as-owner.ts';
import { OperationError } from '../../operations/operation-error.ts';
import type { StoresPlace } from '../../operations/stores-place.ts';
import { installedUnit, settingsOf } from './service-settings.ts';

/** The stores that a command by hand works on: those of the installed service, if there is one. */
export interface Stores {
  readonly config: Config;
  /** As whom they are to be opened. */
  readonly owner: StoresOwner;
  /** For programs: which they are. */
  readonly used: StoresPlace;
  /** For people: which they are, and what says so. */
  readonly text: string;
}

/** Throws ConfigError. */
export async function storesOf(file: string | undefined): Promise<Stores> {
  const unit = installedUnit(file);
  const service = unit && settingsOf(unit);
  const { config, settings } = loadConfigWithSettings({ file, service });
  const [{ storesOwner }, { storesPlace }] = await Promise.all([
    import('../../operations/installed/as-owner.ts'),
    import('../../operations/stores-place.ts'),
  ]);
  const used = storesPlace(config);
  return { config, owner: storesOwner(config.stateDir, unit), used, text: storesText(used, settings) };
}

/** Does a command's work; a failure says which stores it was that it failed on. */
export async function onStores<Result>(stores: Stores, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    throw new OperationError(`${error.message}\n${stores.text}`, { cause: error });
  }
}

function storesText({ configuration, counters }: StoresPlace, settings: readonly Setting[]): string {
  const from = (name: string) => {
    const source = settings.find(({ variable }) => variable === name)?.source ?? 'default';
    return source === 'default' ? `${name} is not set` : `${name}: ${source}`;
  };
  const database = configuration.kind === 'sqlite' ? 'the embedded database in' : 'PostgreSQL';
  const counts = counters.kind === 'embedded' ? 'embedded counters in' : 'Redis';
  return [
    `Stores: ${database} ${configuration.place} (${from('BRUME_DATABASE_URL')});`,
    `${counts} ${counters.place} (${from('BRUME_REDIS_URL')}).`,
  ].join(' ');
}
