import { printable } from './printable.ts';

export type Cell = string | number | null;

/** Rows under their headings, each column as wide as its widest cell. Numbers stand on the right. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const isNumber = headings.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const lines = [headings, ...rows].map((row) => row.map(cellText));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ''))));
  return lines
    .map((line) => line.map((cell, column) => pad(cell, widths[column] ?? 0, isNumber[column] ?? false)))
    .map((line) => line.join('  ').trimEnd())
    .join('\n');
}

/** Names and values, the values under each other. */
export function details(pairs: readonly (readonly [string, Cell])[]): string {
  const nameWidth = Math.max(...pairs.map(([name]) => width(name)));
  return pairs
    .map(([name, value]) => `${pad(name, nameWidth, false)}  ${cellText(value)}`.trimEnd())
    .join('\n');
}

function cellText(cell: Cell): string {
  return cell === null ? '-' : printable(String(cell));
}

function pad(cell: string, columns: number, isNumber: boolean): string {
  const blanks = ' '.repeat(columns - width(cell));
  return isNumber ? blanks + cell : cell + blanks;
}

function width(cell: string): number {
  return [...cell].length;
}
