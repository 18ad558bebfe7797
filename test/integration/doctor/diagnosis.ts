import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { BRUME_COMMAND, type Settings } from '../../support/brume-process.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failure' | 'unseen';
  readonly text: string;
  readonly remedy: string | null;
}

export interface Diagnosis {
  readonly exitCode: number | null;
  readonly healthy: boolean;
  readonly findings: readonly Finding[];
}

/** Settings of a Brume that does not run, in a directory of its own. */
export async function stopped(t: TestContext, settings: Settings = {}): Promise<Settings> {
  const directory = temporaryDirectory(t);
  return {
    BRUME_LISTEN: `127.0.0.1:${await freePort()}`,
    BRUME_MANAGEMENT_LISTEN: 'off',
    BRUME_ADMIN_SOCKET: join(directory, 'admin.sock'),
    BRUME_STATE_DIR: join(directory, 'state'),
    ...settings,
  };
}

/** Runs `brume doctor --json`, behind another program if one is named: `['prlimit', '--nofile=100']`. */
export async function diagnose(
  settings: Settings,
  { args = [], behind = [] }: { args?: readonly string[]; behind?: readonly string[] } = {},
): Promise<Diagnosis> {
  const [program = '', ...rest] = [...behind, ...BRUME_COMMAND, 'doctor', '--json', ...args];
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('BRUME_'));
  const child = spawn(program, rest, {
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part) => {
    stdout += part;
  });
  child.stderr.on('data', (part) => {
    stderr += part;
  });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  assert.equal(stderr, '');
  return { exitCode, ...JSON.parse(stdout) };
}

/** What is told of a check, in the state that is wanted, if one is. */
export function told({ findings }: Diagnosis, check: string, state?: Finding['state']): Finding[] {
  return findings.filter(
    (finding) => finding.check === check && (state === undefined || finding.state === state),
  );
}

/** Exactly one finding of a check is a failure, and says this; and the exit code says so, too. */
export function assertFailure(diagnosis: Diagnosis, check: string, text: RegExp, remedy: RegExp): void {
  const [failure, ...more] = told(diagnosis, check, 'failure');
  assert.deepEqual(more, []);
  assert.match(failure?.text ?? JSON.stringify(diagnosis.findings), text);
  assert.match(failure?.remedy ?? '', remedy);
  assert.equal(diagnosis.exitCode, 1);
  assert.equal(diagnosis.healthy, false);
}

/** One of a check is a warning, and says this. */
export function assertWarning(diagnosis: Diagnosis, check: string, text: RegExp, remedy: RegExp): void {
  const warning = told(diagnosis, check, 'warning').find((finding) => text.test(finding.text));
  assert.ok(warning, JSON.stringify(diagnosis.findings, null, 1));
  assert.match(warning.remedy ?? '', remedy);
}
