import { readdirSync, readFileSync } from 'node:fs';

/** What this machine shows of a process. Undefined is what this user may not see. */
export interface ProcessFacts {
  readonly pid: number;
  readonly uid: number;
  /** Its groups, the supplementary ones too. */
  readonly gids: readonly number[];
  /** How many files it may open at once. */
  readonly filesMax: number | undefined;
  /** How many it could be allowed to open without root. */
  readonly filesHardMax: number | undefined;
  readonly filesOpen: number | undefined;
  /** As it was when it started. */
  readonly environment: Readonly<Record<string, string>> | undefined;
}

/** Undefined: there is no `brume serve` of this number on this machine, as where it runs in a container. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const commandLine = readText(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
  const status = readText(`/proc/${pid}/status`);
  if (status === undefined || !commandLine.includes('serve')) return undefined;
  const numbers = (name: string) =>
    (new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '').split(/\s+/).filter(Boolean).map(Number);
  const [uid = 0] = numbers('Uid').slice(1);
  const gids = [...numbers('Gid').slice(1, 2), ...numbers('Groups')];
  const [filesMax, filesHardMax] = openFilesMax(readText(`/proc/${pid}/limits`));
  return {
    pid,
    uid,
    gids,
    filesMax,
    filesHardMax,
    filesOpen: openFiles(pid),
    environment: environmentOf(pid),
  };
}

/** How many files this process may open: Node.js takes all that it may. */
export function ownFilesMax(): number | undefined {
  return openFilesMax(readText('/proc/self/limits'))[0];
}

/** How many it could be allowed to. */
export function ownHardMax(): number | undefined {
  return openFilesMax(readText('/proc/self/limits'))[1];
}

function openFilesMax(limits: string | undefined): [soft?: number | undefined, hard?: number | undefined] {
  const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits ?? '') ?? [];
  return [countOf(soft), countOf(hard)];
}

function countOf(limit: string | undefined): number | undefined {
  if (limit === 'unlimited') return Number.POSITIVE_INFINITY;
  return limit === undefined ? undefined : Number(limit);
}

function openFiles(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

function environmentOf(pid: number): Record<string, string> | undefined {
  const text = readText(`/proc/${pid}/environ`);
  if (text === undefined) return undefined;
  const pairs = text.split('\0').map((pair) => pair.split(/=(.*)/s, 2));
  return Object.fromEntries(pairs.filter(([name, value]) => name !== '' && value !== undefined));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
