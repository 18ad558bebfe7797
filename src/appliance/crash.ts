import { messageOf } from '../errors/message-of.ts';
import type { Logger } from '../telemetry/log.ts';
import { toStandardError } from '../telemetry/log-output.ts';

/**
 * A fault that nobody caught leaves the process in a state that nobody knows: it is logged as the
 * last line and the process ends with 1, for the service manager to start a fresh one. Rejections
 * that nobody handles arrive here too. Returns the function that undoes this.
 */
export function endOnUncaughtFault(log: Logger): () => void {
  const onFault = (error: Error, origin: string): void => {
    try {
      log.fatal({ err: error, origin }, 'uncaught fault: ending');
      toStandardError(`uncaught fault: ending: ${messageOf(error)}`);
    } finally {
      process.exit(1);
    }
  };
  process.on('uncaughtException', onFault);
  return () => process.off('uncaughtException', onFault);
}
