import { type Environment, processEnvironment } from './environment.ts';

/** A listening socket that the service manager opened and handed over. */
interface NamedDescriptor {
  /** As the socket unit's `FileDescriptorName=` says; systemd's own default is the unit's name. */
  readonly name: string;
  readonly fd: number;
}

/** What systemd tells a service about itself; see sd_listen_fds(3), sd_notify(3), sd_watchdog_enabled(3). */
export interface ServiceManager {
  /** In no stable order: only their names tell them apart. */
  readonly sockets: readonly NamedDescriptor[];
  /** Where it wants to be told of states; undefined: it doesn't. */
  readonly notifySocket: string | undefined;
  /** How long it waits for a sign of life; undefined: it doesn't. */
  readonly watchdogMs: number | undefined;
  /** A directory below /run that is this process's alone and goes with it; undefined: it has none, or several. */
  readonly runtimeDirectory: string | undefined;
  /** Where commands are looked for. */
  readonly path: string;
}

/** Standard input, output and error come first. */
const FIRST_FD = 3;
/** No unit hands over more; a number beyond it is not systemd's. */
const FDS_MAX = 1024;

/** Variables that are another process's, whose number they carry, are none of ours: they were inherited. */
export function serviceManager(
  env: Environment = processEnvironment(),
  pid: number = process.pid,
): ServiceManager {
  return {
    sockets: socketsOf(env, pid),
    notifySocket: env.NOTIFY_SOCKET === '' ? undefined : env.NOTIFY_SOCKET,
    watchdogMs: watchdogMsOf(env, pid),
    runtimeDirectory: oneDirectory(env.RUNTIME_DIRECTORY),
    path: env.PATH ?? '/usr/bin:/bin',
  };
}

function socketsOf(env: Environment, pid: number): NamedDescriptor[] {
  const count = wholeNumber(env.LISTEN_FDS);
  if (count === undefined || count > FDS_MAX || wholeNumber(env.LISTEN_PID) !== pid) return [];
  const names = (env.LISTEN_FDNAMES ?? '').split(':');
  return Array.from({ length: count }, (_, at) => ({ name: names[at] ?? '', fd: FIRST_FD + at }));
}

function watchdogMsOf(env: Environment, pid: number): number | undefined {
  const isOurs = env.WATCHDOG_PID === undefined || wholeNumber(env.WATCHDOG_PID) === pid;
  const microseconds = wholeNumber(env.WATCHDOG_USEC);
  return isOurs && microseconds !== undefined && microseconds > 0 ? microseconds / 1000 : undefined;
}

/** Several are joined by colons (systemd.exec(5)). */
function oneDirectory(paths: string | undefined): string | undefined {
  return paths?.startsWith('/') && !paths.includes(':') ? paths : undefined;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
