import { BrumeError } from '../../errors/catalogue.ts';
import type { Row } from './sql.ts';

/** Readers of columns: a column of another type means a foreign or damaged schema. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : refuse(column, value);
}

export function textOrNullOf(row: Row, column: string): string | null {
  return row[column] === null ? null : textOf(row, column);
}

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : refuse(column, value);
}

export function integerOrNullOf(row: Row, column: string): number | null {
  return row[column] === null ? null : integerOf(row, column);
}

/** The value of a column that names one of a fixed list. */
export function choiceOf<T extends string>(row: Row, column: string, choices: readonly T[]): T {
  const value = textOf(row, column);
  return choices.find((choice) => choice === value) ?? refuse(column, value);
}

/** A bigint as it comes off the wire; beyond 2^53-1 it can't be a number without losing digits. */
export function safeInteger(digits: string): number {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : refuse('bigint', digits);
}

function refuse(column: string, value: unknown): never {
  const shown = value === undefined ? 'nothing' : JSON.stringify(value)?.slice(0, 40);
  throw new BrumeError('internal', { cause: new Error(`the database gives ${shown} in column ${column}`) });
}
