import assert from 'node:assert/strict';
import { RulesFileError, readRulesFile } from '../../../src/policy/rules/rules-file.ts';

/** `line:column: sentence` of each fault; fails if the text has none. */
export function faultsOf(text: string): string[] {
  try {
    readRulesFile(text);
  } catch (error) {
    if (!(error instanceof RulesFileError)) throw error;
    return error.faults.map(({ line, column, text: sentence }) => `${line}:${column}: ${sentence}`);
  }
  return assert.fail(`no fault in:\n${text}`);
}

/** A file with one namespace `login` that has these lines besides a limit. */
export function loginWith(...lines: string[]): string {
  return [
    'namespaces:',
    '  login:',
    '    limits: [{ algorithm: gcra, limit: 5, window: 1m }]',
    ...lines.map((line) => `    ${line}`),
    '',
  ].join('\n');
}
