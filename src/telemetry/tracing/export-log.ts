import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import type { Logger } from '../log.ts';
import { Seldom } from '../seldom.ts';

const QUIET_MS = 60_000;

/** Logs, at most once a minute, that spans were not delivered or had no room. */
export function logExportFaults(log: Logger, clock: { monotonicMs(): number }): (error: unknown) => void {
  const seldom = new Seldom(clock, { quietMs: QUIET_MS });
  const onFault = (error: unknown): void =>
    seldom.run('export', (suppressed) =>
      log.warn({ reason: reasonOf(error), suppressed }, 'traces could not be sent to BRUME_OTLP_ENDPOINT'),
    );
  setGlobalErrorHandler(onFault);
  const onDropped = (message: string): void =>
    seldom.run('dropped', (suppressed) =>
      log.warn({ reason: message, suppressed }, 'traces are incomplete: the collector is too slow'),
    );
  const nothing = (): void => undefined;
  const logger = { error: onDropped, warn: onDropped, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return onFault;
}

/** A failed `fetch` says what happened in its cause. */
function reasonOf(error: unknown): string {
  if (Array.isArray(error)) return reasonOf(error[0]);
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
