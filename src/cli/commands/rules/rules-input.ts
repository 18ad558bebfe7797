import { Buffer, isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { ApiError } from '../../../client/api-error.ts';
import {
  RULES_FILE_MAX_BYTES,
  type RulesFile,
  RulesFileError,
  readRulesFile,
} from '../../../policy/rules/rules-file.ts';
import { InputFaultsError } from '../../input-faults-error.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';

/** Reads and checks a file of rules; `-` is standard input. Rejects with InputFaultsError, UsageError. */
export async function readRulesInput(file: string, terminal: Terminal): Promise<RulesFile> {
  const text = file === '-' ? await standardInput(terminal) : textOf(file);
  try {
    return readRulesFile(text);
  } catch (error) {
    if (error instanceof RulesFileError) throw new InputFaultsError(shown(file), error.faults);
    throw error;
  }
}

/** What Brume finds at fault in the rules is told with its place in the file too. */
export async function namingPlaces<Result>(
  file: string,
  { placeOf }: Pick<RulesFile, 'placeOf'>,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'bad_request' || error.field === null) throw error;
    throw new InputFaultsError(shown(file), [{ ...placeOf(error.field), text: error.message }]);
  }
}

async function standardInput(terminal: Terminal): Promise<string> {
  const text = await terminal.input();
  if (Buffer.byteLength(text) > RULES_FILE_MAX_BYTES) throw tooLarge('standard input');
  // Node reads what is no UTF-8 as U+FFFD.
  if (text.includes('\ufffd')) {
    throw new UsageError('Standard input is not UTF-8, or holds U+FFFD, which stands for that.');
  }
  return text;
}

function textOf(file: string): string {
  const bytes = bytesOf(file);
  if (!isUtf8(bytes)) throw new UsageError(`${file} is not UTF-8.`);
  return bytes.toString('utf8');
}

function bytesOf(file: string): Buffer {
  try {
    if (statSync(file).size > RULES_FILE_MAX_BYTES) throw tooLarge(file);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function tooLarge(what: string): UsageError {
  return new UsageError(`${what} is larger than ${RULES_FILE_MAX_BYTES / 1024 / 1024} MiB.`);
}

function shown(file: string): string {
  return file === '-' ? '<standard input>' : file;
}
