import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Guest } from '../guest.ts';

/** Of the guests, in their order: /24. */
export const ADDRESSES = ['10.77.0.1', '10.77.0.2'] as const;

/** A bridge in a network namespace of its own, so that this machine's network has nothing of it. */
export class Bridge {
  readonly #holder: ChildProcess;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** Connects guests that are booted. */
  static async between(guests: readonly Guest[]): Promise<Bridge> {
    const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
    holder.stdin.write('made\n');
    await once(holder.stdout, 'data');
    const bridge = new Bridge(holder);
    try {
      bridge.#connect(guests);
    } catch (error) {
      bridge.end();
      throw error;
    }
    return bridge;
  }

  end(): void {
    this.#holder.stdin?.end();
  }

  #connect(guests: readonly Guest[]): void {
    const ip = (namespace: string, ...args: string[]) =>
      execFileSync('nsenter', ['-t', namespace, '-n', 'ip', ...args]);
    const bridge = String(this.#holder.pid);
    ip(bridge, 'link', 'add', 'bridge', 'type', 'bridge');
    ip(bridge, 'link', 'set', 'bridge', 'up');
    for (const [at, { leader }] of guests.entries()) {
      const cable = `node${at + 1}`;
      ip(bridge, 'link', 'add', cable, 'type', 'veth', 'peer', 'name', 'nodes', 'netns', leader);
      ip(bridge, 'link', 'set', cable, 'master', 'bridge', 'up');
      ip(leader, 'address', 'add', `${ADDRESSES[at]}/24`, 'dev', 'nodes');
      ip(leader, 'link', 'set', 'nodes', 'up');
    }
  }
}
