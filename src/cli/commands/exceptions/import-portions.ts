import type { ApiClient } from '../../../client/api-client.ts';
import { ApiError } from '../../../client/api-error.ts';
import { ConnectionError } from '../../../client/connection-error.ts';
import type { ExceptionPlace, NewException } from '../../../client/exceptions.ts';

/** What one call takes. */
const ENTRIES_PER_CALL = 1000;

export interface ImportEntry {
  readonly line: number;
  readonly entry: NewException;
}

export interface ImportFailure {
  /** At fault; null if it isn't one line that is. */
  readonly line: number | null;
  readonly message: string;
  readonly code: string;
  /** Of the portion that failed: nothing of it is there, unless `isUnknown`. */
  readonly fromLine: number;
  readonly toLine: number;
  /** No answer came that says whether it is there. */
  readonly isUnknown: boolean;
}

export interface ImportResult {
  readonly added: number;
  readonly replaced: number;
  readonly failure: ImportFailure | null;
}

/** Sends one portion after the other, each of which is all or nothing, until all are sent or one fails. */
export async function importPortions(
  client: ApiClient,
  place: ExceptionPlace,
  entries: readonly ImportEntry[],
  { replace, onProgress }: { readonly replace: boolean; onProgress(sent: number): void },
): Promise<ImportResult> {
  let added = 0;
  let replaced = 0;
  for (let from = 0; from < entries.length; from += ENTRIES_PER_CALL) {
    const portion = entries.slice(from, from + ENTRIES_PER_CALL);
    try {
      const done = await client.exceptions.import(
        place,
        portion.map(({ entry }) => entry),
        { replace },
      );
      added += done.added;
      replaced += done.replaced;
    } catch (error) {
      return { added, replaced, failure: failureOf(error, portion) };
    }
    onProgress(from + portion.length);
  }
  return { added, replaced, failure: null };
}

function failureOf(error: unknown, portion: readonly ImportEntry[]): ImportFailure {
  const lines = { fromLine: portion[0]?.line ?? 0, toLine: portion.at(-1)?.line ?? 0 };
  if (error instanceof ConnectionError) {
    return {
      line: null,
      message: error.message,
      code: `connection_${error.fault}`,
      ...lines,
      isUnknown: true,
    };
  }
  if (!(error instanceof ApiError)) throw error;
  const { code, message, field, status } = error;
  const at = Number(/^entries\[(\d+)\]/.exec(field ?? '')?.[1] ?? Number.NaN);
  return {
    line: portion[at]?.line ?? null,
    message: inFileWords(message, portion),
    code,
    ...lines,
    isUnknown: status >= 500,
  };
}

/** Whoever reads it has lines, no entries. */
function inFileWords(message: string, portion: readonly ImportEntry[]): string {
  return message
    .replace(/^entries\[\d+\]\./, '')
    .replaceAll(/entries\[(\d+)\]/g, (whole, index) => {
      const line = portion[Number(index)]?.line;
      return line === undefined ? whole : `line ${line}`;
    })
    .replace('With replace ', 'With --replace ');
}
