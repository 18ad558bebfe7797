import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Guest } from '../../test/systemd/guest.ts';
import { bootWith } from './in-container.ts';

export interface TwoNodesOptions {
  readonly given: string;
  readonly place: string;
  /** Of the Debian package. */
  readonly version: string;
  onLine(line: string): void;
}

const ADDRESSES = ['10.77.0.1', '10.77.0.2'] as const;
const CHECK = 'two nodes, in two systems on a bridge, admit a limit once';

/** Two booted systems on a bridge: the first has PostgreSQL, Redis and a Sentinel, and both serve by them. */
export async function twoNodes({ given, place, version, onLine }: TwoNodesOptions): Promise<void> {
  const startMs = Date.now();
  const guests: Guest[] = [];
  const bridge = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = (passed: boolean, output = ''): void => {
    const seconds = Math.round((Date.now() - startMs) / 1000);
    onLine(['check', passed ? 'ok' : 'FAILED', seconds, CHECK].join('\t'));
    for (const line of output.split('\n')) onLine(`    ${line}`);
  };
  try {
    bridge.stdin.write('made\n');
    await once(bridge.stdout, 'data');
    for (const _ of ADDRESSES) guests.push(await bootWith(given, place));
    const [first, second] = guests;
    if (first === undefined || second === undefined) throw new Error('no guests');
    connect(String(bridge.pid), guests);
    const half = (guest: Guest, ...args: string[]) => guest.must(`${place}/second-node`, ...args);
    const key = (await half(first, 'first', place, version, ADDRESSES[0])).split('\n').at(-1) ?? '';
    await half(second, 'second', place, version, ADDRESSES[0]);

    let admitted = 0;
    for (let asked = 0; asked < 16; asked++) {
      const verdict = await half(asked % 2 === 0 ? first : second, 'ask', key);
      if (verdict.includes('"degraded":true')) throw new Error(verdict);
      if (verdict.includes('"success":true')) admitted++;
    }
    said(admitted === 10, `${admitted} were admitted, and the limit is 10`);
  } catch (error) {
    said(false, error instanceof Error ? error.message : String(error));
  } finally {
    for (const guest of guests) await guest.end();
    bridge.stdin.end();
  }
}

/** A bridge in a network namespace of its own, so that this machine's network has nothing of it. */
function connect(bridge: string, guests: readonly Guest[]): void {
  const ip = (namespace: string, ...args: string[]) =>
    execFileSync('nsenter', ['-t', namespace, '-n', 'ip', ...args]);
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
