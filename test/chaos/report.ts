import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Topology } from './rigs/rig.ts';

export interface BrokenInvariant {
  readonly invariant: string;
  readonly detail: string;
  /** The fault that was on, or the last one. */
  readonly event: string;
  readonly atMs: number;
}

/** Milliseconds; `atMs` since the seed's start. */
export interface EventRecord {
  readonly fault: string;
  readonly isLong: boolean;
  readonly atMs: number;
  readonly durationMs: number;
  /** From the fault's end until all is answered by the store again; null: not in time. */
  readonly recoveredMs: number | null;
  /** For so long of that the machine had no core for what had to run. */
  readonly starvedMs: number;
  readonly detail: string;
}

/** A line of the report. */
export interface SeedRecord {
  readonly topology: Topology;
  readonly seed: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly events: readonly EventRecord[];
  readonly calls: number;
  readonly checks: number;
  readonly degraded: number;
  readonly denied: number;
  readonly admitted: number;
  readonly failed: number;
  /** Of one identifier: admitted beyond its limit, and what the store may have forgotten of it. */
  readonly mostOver: { readonly beyondLimit: number; readonly bound: number };
  readonly losses: readonly { readonly ms: number; readonly everything: boolean }[];
  readonly slowestMs: number;
  /** The longest that the suite itself was held up, and that a node took for /health: how busy the machine was. */
  readonly lagMs: number;
  readonly healthMs: number;
  /** The longest that a node took for /health without what the machine had no core for. */
  readonly busyMs: number;
  readonly latestBeyondMs: number;
  /** What was resident of each node at the end, and then what it held once its garbage was collected, in bytes. */
  readonly memory: readonly number[];
  readonly held: readonly number[];
  readonly brokenCount: number;
  /** The first of them. */
  readonly broken: readonly BrokenInvariant[];
}

export function readReport(path: string): SeedRecord[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as SeedRecord);
}

export function appendRecord(path: string, record: SeedRecord): void {
  appendFileSync(path, `${JSON.stringify(record)}\n`);
}

/** `N events, F long, B broken`: over all lines. */
export function summary(records: readonly SeedRecord[]): string {
  const events = records.flatMap((record) => record.events);
  const long = events.filter(({ isLong }) => isLong).length;
  const broken = records.reduce((sum, { brokenCount }) => sum + brokenCount, 0);
  return `${events.length} events, ${long} long, ${broken} broken`;
}
