import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { type ServiceManager, serviceManager } from '../config/service-manager.ts';
import { SchemaError } from '../stores/sql/schema-error.ts';
import { StateDirError } from '../stores/sql/state-dir-error.ts';
import { createLogger, type Logger } from '../telemetry/log.ts';
import { standardOutput, toStandardError } from '../telemetry/log-output.ts';
import { version } from '../version.ts';
import { Appliance } from './appliance.ts';
import { endOnUncaughtFault } from './crash.ts';
import { HandOverOffer } from './hand-over/offer.ts';
import { removeSockets } from './hand-over/private-socket.ts';
import { Succession } from './hand-over/succession.ts';
import { managementTls } from './management-tls.ts';
import type { TlsIdentity } from './plane-server.ts';
import { logRefusedConfiguration } from './refused-configuration.ts';
import { watchSignals } from './signals.ts';
import { prepareSocketDirectories } from './socket-directories.ts';
import { StartError } from './start-error.ts';
import type { State } from './state.ts';
import { DrainMarks } from './systemd/drain-mark.ts';
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
    const drains = new DrainMarks(given.manager.runtimeDirectory, log);
    const started = await start(config, given, { log, output, notifier, drains, stop: signals.stop });
    if (started === 'failed') return START_FAILED;
    if (started === 'stopped') return STOPPED;
    const { appliance, offer } = started;
    log.info('ready');
    notifier.status(servingText(config, given.handed));
    notifier.ready();
    const endings = offer === undefined ? [] : [offer.ending];
    const reason = await Promise.race([signals.stop, appliance.unusable, ...endings]);
    if (reason instanceof StartError) logEnd(log, `Brume can't go on: ${reason.message}`);
    drains.mark();
    notifier.stopping(config.drainMs + CLOSING_MS);
    notifier.status(reason === 'handed_over' ? 'draining: handed over to the next process' : 'draining');
    await offer?.close();
    await appliance.stop();
    log.info('stopped');
    return reason instanceof StartError || reason === 'lost' ? UNUSABLE : STOPPED;
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

interface Surroundings {
  readonly log: Logger;
  readonly output: ReturnType<typeof standardOutput>;
  readonly notifier: Notifier;
  readonly drains: DrainMarks;
  readonly stop: Promise<unknown>;
}

interface Started {
  readonly appliance: Appliance;
  /** To the process that comes after this one; undefined: both can have the stores at once, or it can't have our sockets. */
  readonly offer: HandOverOffer | undefined;
}

/** `failed` is logged; `stopped`: it was told to end before it had the stores. */
async function start(
  config: Config,
  { tls: managementTls, handed }: Given,
  { log, output, notifier, drains, stop }: Surroundings,
): Promise<Started | 'failed' | 'stopped'> {
  let succession: Succession | undefined;
  const onWithdrawn = (error: StartError): void => {
    logFailedStart(log, error);
    // Whatever of the stores is being opened: they are another's as soon as this process is no more.
    process.exit(START_FAILED);
  };
  try {
    if (handed === undefined) prepareSocketDirectories(config);
    else {
      const begun = await Succession.begin(config, { log, notifier, stop, onWithdrawn });
      if (begun === 'stopped') return begun;
      if (begun !== 'none') succession = begun;
    }
    notifier.status('starting');
    const onState = ({ metrics: { registry } }: State): void => {
      registry.reading('brume_log_lines_lost_total', () => output.lostLinesTotal);
      registry.reading('brume_predecessor_draining_seconds', () => drains.longestSeconds());
    };
    const appliance = await Appliance.start(config, { log, managementTls, handed, succession, onState });
    if (appliance === undefined) return 'stopped';
    return { appliance, offer: await offerOf(config, appliance, { log, handed, succession }) };
  } catch (error) {
    succession?.abandon();
    logFailedStart(log, error);
    return 'failed';
  }
}

async function offerOf(
  { stateDir, databaseUrl, redisUrl }: Config,
  giver: Appliance,
  { log, handed, succession }: Pick<Given, 'handed'> & { log: Logger; succession: Succession | undefined },
): Promise<HandOverOffer | undefined> {
  if (handed === undefined || (databaseUrl !== null && redisUrl !== null)) return undefined;
  if (succession === undefined) removeSockets(stateDir);
  const offer = new HandOverOffer({ stateDir, generation: succession?.generation ?? 0, giver, log });
  await offer.open();
  return offer;
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
