import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { type ServiceManager, serviceManager } from '../config/service-manager.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import { StateDirError } from '../stores/sql/state-dir-error.ts';
import { createLogger, type Logger } from '../telemetry/log.ts';
import { standardOutput, toStandardError } from '../telemetry/log-output.ts';
import { version } from '../version.ts';
import { endOnUncaughtFault } from './crash.ts';
import { drain } from './drain.ts';
import { type Listeners, openListeners } from './listeners.ts';
import { managementTls } from './management-tls.ts';
import type { TlsIdentity } from './plane-server.ts';
import { logRefusedConfiguration } from './refused-configuration.ts';
import { watchSignals } from './signals.ts';
import { prepareSocketDirectories } from './socket-directories.ts';
import { awaitStateDir } from './standby.ts';
import { StartError } from './start-error.ts';
import { buildState, type State } from './state.ts';
import { addressText, type HandedSocket, handedSockets } from './systemd/handed-sockets.ts';
import { Notifier } from './systemd/notifier.ts';

const STOPPED = 0;
const START_FAILED = 1;
/** For the service manager to start another process, which looks at the stores afresh. */
const UNUSABLE = 1;

/** Beyond the drain, for the stores to be written and closed. */
const CLOSING_MS = 15_000;

export interface ServeOptions {
  /** The listeners are systemd's: refuse to start without them. */
  readonly areSocketsDemanded?: boolean;
}

/** What was found to be usable before anything is opened. */
interface Given {
  readonly tls: TlsIdentity | undefined;
  readonly handed: readonly HandedSocket[] | undefined;
  readonly manager: ServiceManager;
}

/**
 * Runs Brume until a signal stops it, and gives the exit code of the process. Rejects with ConfigError,
 * which is logged, where files that the configuration names can't be used, or systemd's sockets.
 */
export async function serve(config: Config, options: ServeOptions = {}): Promise<number> {
  const given = givenOrLoggedFault(config, options);
  const output = standardOutput();
  const log = createLogger({
    level: config.logLevel,
    showIdentifiers: config.logIdentifiers,
    stream: output,
  });
  const signals = watchSignals(log);
  const stopWatchingFaults = endOnUncaughtFault(log);
  const notifier = new Notifier(given.manager, log);
  try {
    log.info({ version, pid: process.pid }, 'starting');
    const { stop: toStop } = signals;
    if (given.handed !== undefined && !(await awaitStateDir(config, { log, notifier, stop: toStop }))) {
      return STOPPED;
    }
    notifier.status('starting');
    const appliance = await start(config, log, given);
    if (appliance === undefined) return START_FAILED;
    appliance.state.metrics.registry.reading('brume_log_lines_lost_total', () => output.lostLinesTotal);
    log.info('ready');
    notifier.status(servingText(config, given.handed));
    notifier.ready();
    const reason = await Promise.race([toStop, appliance.state.unusable]);
    if (reason instanceof StartError) logEnd(log, `Brume can't go on: ${reason.message}`);
    notifier.stopping(config.drainMs + CLOSING_MS);
    notifier.status('draining');
    await stop(config, appliance);
    log.info('stopped');
    return reason instanceof StartError ? UNUSABLE : STOPPED;
  } finally {
    notifier.close();
    stopWatchingFaults();
    signals.dispose();
  }
}

function givenOrLoggedFault(config: Config, { areSocketsDemanded = false }: ServeOptions): Given {
  try {
    const manager = serviceManager();
    const handed = handedSockets(config, manager, { areDemanded: areSocketsDemanded });
    return { tls: managementTls(config), handed, manager };
  } catch (error) {
    if (error instanceof ConfigError) logRefusedConfiguration(error);
    throw error;
  }
}

function servingText({ listen }: Config, handed: readonly HandedSocket[] | undefined): string {
  const own = listen === null ? [] : [listen];
  const places = handed?.filter(({ plane }) => plane === 'data').map(({ address }) => address) ?? own;
  return ['serving', ...places.map(addressText)].join(' ');
}

interface Appliance {
  readonly state: State;
  readonly listeners: Listeners;
}

/** The stores and what stands on them, then the listeners in front. Undefined, and logged, if that fails. */
async function start(
  config: Config,
  log: Logger,
  { tls: managementTls, handed }: Given,
): Promise<Appliance | undefined> {
  let state: State | undefined;
  try {
    if (handed === undefined) prepareSocketDirectories(config);
    state = await buildState(config, log);
    const listeners = await openListeners(config, state, { managementTls, handed });
    state.readiness.startServing();
    return { state, listeners };
  } catch (error) {
    await state?.close();
    logFailedStart(log, error);
    return undefined;
  }
}

async function stop(config: Config, { state, listeners }: Appliance): Promise<void> {
  const { log, readiness, clock, tracing } = state;
  const endMs = clock.monotonicMs() + config.drainMs;
  await drain({ servers: listeners.servers, readiness, drainMs: config.drainMs, log });
  await listeners.close();
  await tracing?.close(Math.max(endMs - clock.monotonicMs(), 0));
  await state.close();
}

/**
 * What the operator can act on is one line; anything else is a fault of ours and keeps its stack.
 * On standard error too: the log may be what fails, or nobody may look at it yet.
 */
function logFailedStart(log: Logger, error: unknown): void {
  const isForOperator =
    error instanceof StartError || error instanceof StateDirError || error instanceof SchemaError;
  if (isForOperator) {
    logEnd(log, `Brume can't start: ${error.message}`);
    return;
  }
  log.fatal({ err: error }, "Brume can't start");
  toStandardError("Brume can't start: its log says why");
}

function logEnd(log: Logger, message: string): void {
  log.fatal(message);
  toStandardError(message);
}
