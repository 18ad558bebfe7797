import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import { StateDirError } from '../stores/sql/state-dir-error.ts';
import { createLogger, type Logger } from '../telemetry/log.ts';
import { toStandardError } from '../telemetry/log-output.ts';
import { version } from '../version.ts';
import { endOnUncaughtFault } from './crash.ts';
import { drain } from './drain.ts';
import { type Listeners, openListeners } from './listeners.ts';
import { managementTls } from './management-tls.ts';
import type { TlsIdentity } from './plane-server.ts';
import { logRefusedConfiguration } from './refused-configuration.ts';
import { watchSignals } from './signals.ts';
import { prepareSocketDirectories } from './socket-directories.ts';
import { StartError } from './start-error.ts';
import { buildState, type State } from './state.ts';

const STOPPED = 0;
const START_FAILED = 1;
/** For the service manager to start another process, which looks at the stores afresh. */
const UNUSABLE = 1;

/**
 * Runs Brume until a signal stops it, and gives the exit code of the process. Rejects with ConfigError,
 * which is logged, where files that the configuration names can't be used.
 */
export async function serve(config: Config): Promise<number> {
  const tls = tlsOrLoggedFault(config);
  const log = createLogger({ level: config.logLevel, showIdentifiers: config.logIdentifiers });
  const signals = watchSignals(log);
  const stopWatchingFaults = endOnUncaughtFault(log);
  try {
    log.info({ version, pid: process.pid }, 'starting');
    const appliance = await start(config, log, tls);
    if (appliance === undefined) return START_FAILED;
    log.info('ready');
    const reason = await Promise.race([signals.stop, appliance.state.unusable]);
    if (reason instanceof StartError) logEnd(log, `Brume can't go on: ${reason.message}`);
    await stop(config, appliance);
    log.info('stopped');
    return reason instanceof StartError ? UNUSABLE : STOPPED;
  } finally {
    stopWatchingFaults();
    signals.dispose();
  }
}

function tlsOrLoggedFault(config: Config): TlsIdentity | undefined {
  try {
    return managementTls(config);
  } catch (error) {
    if (error instanceof ConfigError) logRefusedConfiguration(error);
    throw error;
  }
}

interface Appliance {
  readonly state: State;
  readonly listeners: Listeners;
}

/** The stores and what stands on them, then the listeners in front. Undefined, and logged, if that fails. */
async function start(
  config: Config,
  log: Logger,
  tls: TlsIdentity | undefined,
): Promise<Appliance | undefined> {
  let state: State | undefined;
  try {
    prepareSocketDirectories(config);
    state = await buildState(config, log);
    const listeners = await openListeners(config, state, tls);
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
