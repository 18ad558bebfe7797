import { ApiError } from '../../../client/api-error.ts';
import {
  RULES_FILE_MAX_BYTES,
  type RulesFile,
  RulesFileError,
  readRulesFile,
} from '../../../policy/rules/rules-file.ts';
import { InputFaultsError } from '../../input-faults-error.ts';
import { readText } from '../../read-text.ts';
import type { Terminal } from '../../terminal.ts';

/** Reads and checks a file of rules; `-` is standard input. Rejects with InputFaultsError, UsageError. */
export async function readRulesInput(file: string, terminal: Terminal): Promise<RulesFile> {
  const text = await readText(file, terminal, RULES_FILE_MAX_BYTES);
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

function shown(file: string): string {
  return file === '-' ? '<standard input>' : file;
}
