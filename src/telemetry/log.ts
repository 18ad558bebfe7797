import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { standardOutput } from './log-output.ts';
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
