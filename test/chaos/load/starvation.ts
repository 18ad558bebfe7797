import { readFileSync } from 'node:fs';

/** How long a process was ready to run and had no core since it began, by the kernel's count; 0 once it has ended. */
function waitedMs(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * What the machine, and not Brume, is to blame for: how long this process, a node or a server of Redis had no core,
 * though it had something to do. A process that is busy with itself does not wait.
 */
export class Starvation {
  readonly #begun: ReadonlyMap<number, number>;

  /** From now on; the pids of nodes and of servers. */
  constructor(nodes: readonly number[], servers: readonly number[]) {
    this.#begun = new Map([process.pid, ...nodes, ...servers].map((pid) => [pid, waitedMs(pid)]));
  }

  /** So far, of all together: of those that one call needs after each other. */
  summedMs(): number {
    return this.#waits().reduce((sum, waited) => sum + waited, 0);
  }

  /** So far, of that which waited longest: the others may have waited at the same time. */
  waitedMs(): number {
    return Math.round(Math.max(0, ...this.#waits()));
  }

  #waits(): number[] {
    return [...this.#begun].map(([pid, beganMs]) => Math.max(0, waitedMs(pid) - beganMs));
  }
}
