import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { cpuUs } from '../cpu-time.ts';

export interface Served {
  readonly url: string;
  readonly key: string;
  /** CPU time from the start of the process until it says that it is ready. */
  readonly startCpuMs: number;
  cpuUs(): number;
  stop(): Promise<void>;
}

/** Starts an executable on the embedded stores, in a directory of its own, with one namespace and one key. */
export async function serveBrume(executable: string, settings: Record<string, string>): Promise<Served> {
  const home = mkdtempSync(join(tmpdir(), 'brume-measured-'));
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    BRUME_LISTEN: `127.0.0.1:${port}`,
    BRUME_ADMIN_SOCKET: join(home, 'admin.sock'),
    BRUME_STATE_DIR: home,
    BRUME_ADDRESS_RATE: 'off',
    BRUME_DRAIN_MS: '1000',
    ...settings,
  };
  const child = spawn(executable, ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    log += String(chunk);
    if (log.includes('"msg":"ready"')) break;
  }
  const startCpuMs = cpuUs(child.pid) / 1000;
  child.stdout.resume();
  const brume = (...command: string[]) => execFileSync(executable, command, { env, encoding: 'utf8' });
  brume('project', 'create', 'shop');
  brume('namespace', 'create', 'shop', 'api', '--limit', '1000000000', '--window', '1h');
  const { key }: { key: string } = JSON.parse(brume('key', 'create', 'shop', 'web', '--json'));
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    startCpuMs,
    cpuUs: () => cpuUs(child.pid),
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(home, { recursive: true, force: true });
    },
  };
}
