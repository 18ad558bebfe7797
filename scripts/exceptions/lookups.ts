import { performance } from 'node:perf_hooks';
import { parseMatch } from '../../src/policy/exceptions/match.ts';
import type { NamespaceKind } from '../../src/policy/names.ts';
import type { ExceptionRow } from '../../src/stores/cache/exception-rows.ts';
import { ExceptionTable } from '../../src/stores/cache/exception-table/exception-table.ts';
import { NAMESPACE_ID, NOW_MS } from './tables.ts';

interface Lookup {
  readonly name: string;
  readonly table: ExceptionTable;
  readonly kind: NamespaceKind;
  readonly hits: readonly string[];
  readonly misses: readonly string[];
}

const SUBJECTS = 20_000;
const ROUNDS = 3;
const CHUNK = 1000;

/** Namespaces of other makes than one with exact identifiers alone. */
export function lookups(): Lookup[] {
  const users = subjects((index) => `user-${index}-${index * 31}`);
  return [
    { name: 'nothing', table: new ExceptionTable(), kind: 'text', hits: [], misses: users },
    addressBlocks(),
    {
      name: '1,000 patterns with a beginning (`tenant-17-*`)',
      table: patterns((index) => `tenant-${index}-*`),
      kind: 'text',
      hits: subjects((index) => `tenant-${index % 1000}-${index}`),
      misses: users,
    },
    {
      name: '1,000 patterns with neither beginning nor end (`*bot-17*`)',
      table: patterns((index) => `*bot-${index}*`),
      kind: 'text',
      hits: subjects((index) => `my bot-${index % 1000} ${index}`),
      misses: users,
    },
    {
      name: '1,000 patterns made to be slow: two letters only, in 512 bytes of the same two',
      table: patterns(() => `*${twoLetters(20)}*`),
      kind: 'text',
      hits: [],
      misses: Array.from({ length: 20 }, () => twoLetters(512)),
    },
  ];
}

export function timedLookup(table: ExceptionTable, kind: NamespaceKind, asked: readonly string[]): number {
  return bestNsOf(asked, (subject) => table.find(NAMESPACE_ID, kind, subject, NOW_MS) !== undefined);
}

/**
 * Nanoseconds each in the best of many short rounds, each of other subjects: a long one would be
 * interrupted by whoever else uses the machine.
 */
export function bestNsOf(asked: readonly string[], look: (subject: string) => boolean): number {
  let best = Number.POSITIVE_INFINITY;
  const size = Math.min(CHUNK, asked.length / 20);
  for (let from = 0; from < asked.length * ROUNDS; from += size) {
    const chunk = asked.slice(from % asked.length, (from % asked.length) + size);
    const startMs = performance.now();
    for (const subject of chunk) look(subject);
    best = Math.min(best, ((performance.now() - startMs) * 1e6) / chunk.length);
  }
  return best;
}

/** 100,000 of IPv4 and IPv6, with 20 lengths of prefix each. */
function addressBlocks(): Lookup {
  const table = new ExceptionTable();
  for (let index = 0; index < 50_000; index++) {
    const bits = 12 + (index % 20);
    const ipv4 = (0x0a000000 + index * 7919 * 256) >>> 0;
    put(table, 'ip', `${dotted((ipv4 & (-1 << (32 - bits))) >>> 0)}/${bits}`);
    const group = (index * 7919) & 0xffff & (-1 << (15 - (bits % 16)));
    put(table, 'ip', `2001:db8:${(group >>> 0).toString(16)}::/${33 + (bits % 16)}`);
  }
  return {
    name: '100,000 blocks of addresses, 20 lengths of prefix (IPv4)',
    table,
    kind: 'ip',
    hits: subjects((index) => dotted((0x0a000000 + (index % 50_000) * 7919 * 256) >>> 0)),
    misses: subjects((index) => `1.${index % 256}.${(index >> 8) % 256}.7`),
  };
}

function patterns(text: (index: number) => string): ExceptionTable {
  const table = new ExceptionTable();
  for (let index = 0; index < 1000; index++) put(table, 'text', text(index));
  return table;
}

function put(table: ExceptionTable, kind: NamespaceKind, match: string): void {
  const row: ExceptionRow = {
    namespaceId: NAMESPACE_ID,
    kind: 'block',
    ...parseMatch(kind, match),
    limitsText: null,
    createdAtMs: NOW_MS,
    expiresAtMs: null,
  };
  table.upsert(row);
}

function twoLetters(length: number): string {
  return Array.from({ length }, () => (Math.random() < 0.5 ? 'a' : 'b')).join('');
}

function subjects(text: (index: number) => string): string[] {
  return Array.from({ length: SUBJECTS }, (_, index) => text(index));
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}
