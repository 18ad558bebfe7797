import {
  type DestinationStream,
  destination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';
import { redactor } from './redaction.ts';

export type { Logger } from 'pino';

type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface LogOptions {
  readonly level: LogLevel;
  /** Show identifiers, which may be personal data; false unless asked for. */
  readonly showIdentifiers?: boolean;
  /** Where lines go; standard output unless a test wants them. */
  readonly stream?: DestinationStream;
}

/** One JSON object a line, for journald. No transports: those need a thread and a file of its own. */
export function createLogger({ level, showIdentifiers = false, stream }: LogOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err },
      hooks: { streamWrite: redactor(showIdentifiers) },
    },
    stream ?? standardOutput(),
  );
}

/** Lines beyond this, waiting for a reader that has stalled, are dropped and counted. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

/** Never waits for its reader: one that stalls costs lines, not requests. Flushed at exit by pino. */
function standardOutput(): DestinationStream {
  const stdout = destination({ dest: 1, sync: false, maxLength: WAITING_BYTES_MAX });
  let lostLines = 0;
  stdout.on('drop', () => {
    lostLines++;
  });
  stdout.on('drain', () => {
    if (lostLines === 0) return;
    const line = { level: 'warn', time: new Date().toISOString(), lostLines, msg: 'log lines were lost' };
    lostLines = 0;
    stdout.write(`${JSON.stringify(line)}\n`);
  });
  return stdout;
}
