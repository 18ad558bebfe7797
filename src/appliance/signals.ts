import type { Logger } from '../telemetry/log.ts';

export interface Signals {
  /** Resolves with the first TERM or INT. */
  readonly stop: Promise<NodeJS.Signals>;
  dispose(): void;
}

/** The part of `process` that signals need; tests pass their own. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

const SECOND_SIGNAL_EXIT = 1;

/**
 * TERM and INT drain, a second one ends the process at once. HUP is ignored: the configuration is
 * read once, `systemctl reload` starts a new process. USR1, Node's signal for opening a debugger
 * port, opens nothing.
 */
export function watchSignals(log: Logger, source: SignalSource = process): Signals {
  const { promise: stop, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let isStopping = false;

  const onStop = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      log.error({ signal }, 'second signal: ending at once, without draining');
      source.exit(SECOND_SIGNAL_EXIT);
      return;
    }
    isStopping = true;
    log.info({ signal }, 'signal to stop');
    resolve(signal);
  };
  const onHup = (signal: NodeJS.Signals): void =>
    log.info(
      { signal },
      'ignored: the configuration is read at start; restart or reload the service to apply a change',
    );
  const onUsr1 = (): void => undefined;

  const handlers: [NodeJS.Signals, (signal: NodeJS.Signals) => void][] = [
    ['SIGTERM', onStop],
    ['SIGINT', onStop],
    ['SIGHUP', onHup],
    ['SIGUSR1', onUsr1],
  ];
  for (const [signal, handler] of handlers) source.on(signal, handler);
  return {
    stop,
    dispose: () => {
      for (const [signal, handler] of handlers) source.off(signal, handler);
    },
  };
}
