import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../errors/message-of.ts';
import type { Logger } from '../../telemetry/log.ts';
import { isPidGone } from '../this-node.ts';

const FILE = 'draining';
const MARK = /^(\d+) (\d+) (\d+)\n$/;
/** Its place behind the name of the command, which stands in parentheses and may hold anything (proc_pid_stat(5)). */
const START_TICKS_FIELD = 19;

/** A process that drains. */
interface Mark {
  readonly pid: number;
  /** When it was started, in ticks: another process may get its number. 0: that could not be seen. */
  readonly startTicks: number;
  /** On the system's monotonic clock. */
  readonly sinceMs: number;
}

/**
 * How the process that serves knows of one that still drains beside it: that one leaves a mark in its own
 * directory below /run/brume, next to that of the other colour. systemd removes the directory when the unit has
 * ended, or was given up because nothing ends its process; then whoever has seen the mark still watches that.
 */
export class DrainMarks {
  readonly #directory: string | undefined;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #seen = new Map<number, Mark>();

  /** The directory that systemd made for this process; undefined: nobody is beside it. */
  constructor(directory: string | undefined, log: Pick<Logger, 'warn'>) {
    this.#directory = directory;
    this.#log = log;
    // A process that crashed while it drained left its directory to this one.
    this.#changeMark((path) => rmSync(path, { force: true }));
  }

  /** This process drains from now on. */
  mark(): void {
    const startTicks = startTicksOf(process.pid) ?? 0;
    const text = `${process.pid} ${startTicks} ${Math.floor(monotonicMs())}\n`;
    this.#changeMark((path) => writeFileSync(path, text, { mode: 0o600 }));
  }

  /** For how many seconds another process has been draining beside this one, of several the longest; 0: none is. */
  longestSeconds(): number {
    const marked = this.#marked();
    for (const mark of marked) this.#seen.set(mark.pid, mark);
    for (const mark of this.#seen.values()) {
      if (!isThere(mark, marked.includes(mark))) this.#seen.delete(mark.pid);
    }
    const nowMs = monotonicMs();
    return Math.max(0, ...[...this.#seen.values()].map(({ sinceMs }) => (nowMs - sinceMs) / 1000));
  }

  #changeMark(change: (path: string) => void): void {
    if (this.#directory === undefined) return;
    try {
      change(join(this.#directory, FILE));
    } catch (error) {
      this.#log.warn(
        { directory: this.#directory, reason: messageOf(error) },
        'the next process can not be told that this one drains',
      );
    }
  }

  #marked(): Mark[] {
    if (this.#directory === undefined) return [];
    const [parent, own] = [dirname(this.#directory), basename(this.#directory)];
    return namesIn(parent)
      .filter((name) => name !== own)
      .flatMap((name) => markIn(join(parent, name, FILE)) ?? []);
  }
}

function isThere({ pid, startTicks }: Mark, isMarked: boolean): boolean {
  if (isPidGone(pid)) return false;
  const ticks = startTicksOf(pid);
  return ticks === undefined || startTicks === 0 ? isMarked : ticks === startTicks;
}

function startTicksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TICKS_FIELD]);
  } catch {
    return undefined;
  }
}

/** Since the system was started: the same for all its processes, and never set back. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Undefined: there is none, or it is being written. */
function markIn(path: string): Mark | undefined {
  try {
    const [, pid, startTicks, sinceMs] = MARK.exec(readFileSync(path, 'utf8')) ?? [];
    if (pid === undefined) return undefined;
    return { pid: Number(pid), startTicks: Number(startTicks), sinceMs: Number(sinceMs) };
  } catch {
    return undefined;
  }
}
