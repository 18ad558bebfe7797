import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '../../support/wait-for.ts';
import { Guest } from '../guest.ts';
import { layOut } from '../installed-tree.ts';
import { ADDRESSES, Bridge } from './bridge.ts';

export const [FIRST, SECOND] = ADDRESSES;
/** Of the data planes. */
export const NODES = [`http://${FIRST}:8600`, `http://${SECOND}:8600`] as const;

const WELL_WITHIN = { timeoutMs: 120_000, everyMs: 250 };

export interface SiteOptions {
  /** What each system has in its tree before it boots; absent: Brume, with its units enabled. */
  readonly lay?: (tree: string) => void;
  /** Run in each once its stores are there. */
  readonly install?: (guest: Guest) => Promise<unknown>;
  /** Settings of both nodes beside those of the stores. */
  readonly settings?: string;
}

/**
 * Two booted Debians on a bridge, with Brume on both: the first has PostgreSQL, the master of Redis and a Sentinel,
 * the second a replica and another Sentinel. The first may command the second by ssh.
 */
export class Site {
  readonly first: Guest;
  readonly second: Guest;
  readonly #bridge: Bridge;

  private constructor([first, second]: readonly [Guest, Guest], bridge: Bridge) {
    this.first = first;
    this.second = second;
    this.#bridge = bridge;
  }

  static async start({ lay = layOut, install, settings = '' }: SiteOptions = {}): Promise<Site> {
    await makeSystem();
    const guests: Guest[] = [];
    let bridge: Bridge | undefined;
    try {
      for (const _ of ADDRESSES) guests.push(await Guest.boot(lay, PACKAGES));
      bridge = await Bridge.between(guests);
      const site = new Site(guests as [Guest, Guest], bridge);
      await site.#makeStores();
      for (const guest of guests) await install?.(guest);
      await site.#configure(settings);
      await site.isWell();
      return site;
    } catch (error) {
      for (const guest of guests) await guest.end();
      bridge?.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    for (const guest of [this.second, this.first]) await guest.end();
    this.#bridge.end();
  }

  /** Resolves when both nodes say so, and each Sentinel knows the replica and the other. */
  async isWell(): Promise<void> {
    for (const guest of [this.first, this.second]) {
      const isReady = async () => (await guest.run('brume', 'status')).exitCode === 0;
      await waitFor('a node to be well', isReady, WELL_WITHIN);
      const isInStep = async () => (await guest.run('bash', '-c', IN_STEP)).exitCode === 0;
      await waitFor('replica and Sentinels to know each other', isInStep, WELL_WITHIN);
    }
  }

  /** The address of the master of Redis, as a Sentinel says. */
  async master(): Promise<string> {
    const words = 'redis-cli -p 26379 sentinel get-master-addr-by-name mymaster';
    return (await this.first.must('sh', '-c', words)).split('\n')[0] ?? '';
  }

  async #makeStores(): Promise<void> {
    const script = readFileSync(join(import.meta.dirname, 'stores'), 'utf8');
    const half = (guest: Guest, ...args: string[]) => guest.must('bash', '-c', script, 'stores', ...args);
    await half(this.first, 'first', FIRST, SECOND);
    await half(this.second, 'second', SECOND, FIRST);
    const key = await this.first.must('cat', '/root/.ssh/id_ed25519.pub');
    await this.second.write('/root/.ssh/authorized_keys', `${key}\n`, '0600');
  }

  async #configure(settings: string): Promise<void> {
    const configuration = `BRUME_LISTEN=0.0.0.0:8600
BRUME_DATABASE_URL=postgres://brume:brume@${FIRST}/brume
BRUME_REDIS_URL=redis+sentinel://${FIRST}:26379,${SECOND}:26379/mymaster
${settings}`;
    const socket = '[Socket]\nListenStream=\nListenStream=0.0.0.0:8600\nListenStream=/run/brume/brume.sock\n';
    for (const guest of [this.first, this.second]) {
      await guest.must('systemctl', 'stop', 'brume.service');
      await guest.write('/etc/brume/brume.conf', configuration, '0640');
      await guest.must('chown', 'root:brume', '/etc/brume/brume.conf');
      await guest.write('/etc/systemd/system/brume.socket.d/listen.conf', socket);
      await guest.must('systemctl', 'daemon-reload');
      await guest.must('systemctl', 'start', 'brume.service');
    }
  }
}

/** With commas: what the systems have besides. */
const PACKAGES = readFileSync(join(import.meta.dirname, 'packages'), 'utf8')
  .trim()
  .replaceAll('\n', ',');

const IN_STEP = `
  replicas=$(redis-cli -p 26379 sentinel replicas mymaster | grep -A 1 -x -e flags -e master-link-status | xargs)
  [ "$replicas" = "flags slave -- master-link-status ok" ] || [ "$replicas" = "master-link-status ok -- flags slave" ] &&
    redis-cli -p 26379 sentinel ckquorum mymaster | grep -q '^OK 2 '`;

/** It is made once a week, which takes longer than a boot may. */
async function makeSystem(): Promise<void> {
  const guest = join(import.meta.dirname, '../../../scripts/guest');
  await promisify(execFile)(guest, ['base'], { env: { ...process.env, TEST_GUEST_PACKAGES: PACKAGES } });
}
