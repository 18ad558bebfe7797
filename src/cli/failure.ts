import type { CommanderError } from 'commander';
import { StartError } from '../appliance/start-error.ts';
import { ApiError } from '../client/api-error.ts';
import { ConnectionError } from '../client/connection-error.ts';
import { ConfigError } from '../config/config-error.ts';
import { OperationError } from '../operations/operation-error.ts';
import { InputFaultsError } from './input-faults-error.ts';
import { Interruption } from './interruption.ts';
import { UsageError } from './usage-error.ts';

/** The exit codes that are documented, besides 0. */
export const EXIT = { refused: 1, usage: 2, configuration: 78 } as const;

/** A command that failed, in words for people and in members for programs. */
export interface Failure {
  readonly exitCode: number;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const { message, code, status, field } = error;
    const isNamed = field === null || message.includes(field);
    return failure(EXIT.refused, isNamed ? message : `${field}: ${message}`, { code, status, field });
  }
  if (error instanceof ConnectionError) {
    const another = 'Another socket is named with --socket PATH or BRUME_ADMIN_SOCKET.';
    const text = error.isSocket ? `${error.message}\n${another}` : error.message;
    return failure(EXIT.refused, text, { code: `connection_${error.fault}` });
  }
  if (error instanceof ConfigError) {
    return failure(EXIT.configuration, error.message, { code: 'configuration', faults: error.faults });
  }
  if (error instanceof InputFaultsError) {
    return failure(EXIT.usage, error.message, { code: 'invalid_file', faults: error.faults });
  }
  if (error instanceof UsageError) return failure(EXIT.usage, error.message, { code: 'usage' });
  if (error instanceof OperationError) return failure(EXIT.refused, error.message, { code: 'operation' });
  if (error instanceof StartError) return failure(EXIT.refused, error.message, { code: 'start' });
  if (error instanceof Interruption) return failure(error.exitCode, error.message, { code: 'interrupted' });
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return failure(EXIT.refused, `An unexpected fault, please report it:\n${text}`, { code: 'internal' });
}

/** Commander has written its message, or the help, by the time it throws. */
export function exitCodeOf(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : EXIT.usage;
}

function failure(exitCode: number, text: string, members: Readonly<Record<string, unknown>>): Failure {
  return { exitCode, text, json: { error: { message: text, ...members } } };
}
