import type { Guest } from '../../test/systemd/guest.ts';
import { ADDRESSES, Bridge } from '../../test/systemd/site/bridge.ts';
import { bootWith } from './in-container.ts';

export interface TwoNodesOptions {
  readonly given: string;
  readonly place: string;
  /** Of the Debian package. */
  readonly version: string;
  onLine(line: string): void;
}

const CHECK = 'two nodes, in two systems on a bridge, admit a limit once';

/** Two booted systems on a bridge: the first has PostgreSQL, Redis and a Sentinel, and both serve by them. */
export async function twoNodes({ given, place, version, onLine }: TwoNodesOptions): Promise<void> {
  const startMs = Date.now();
  const guests: Guest[] = [];
  let bridge: Bridge | undefined;
  const said = (passed: boolean, output = ''): void => {
    const seconds = Math.round((Date.now() - startMs) / 1000);
    onLine(['check', passed ? 'ok' : 'FAILED', seconds, CHECK].join('\t'));
    for (const line of output.split('\n')) onLine(`    ${line}`);
  };
  try {
    for (const _ of ADDRESSES) guests.push(await bootWith(given, place));
    const [first, second] = guests;
    if (first === undefined || second === undefined) throw new Error('no guests');
    bridge = await Bridge.between(guests);
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
    bridge?.end();
  }
}
