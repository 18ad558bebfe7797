import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const command = join(import.meta.dirname, '../../scripts/bare-debian');

export interface Outcome {
  readonly exitCode: number;
  /** Both streams together. */
  readonly output: string;
}

/** A bare Debian, not booted, with the files given in /root. */
export interface BareDebian {
  /** Its root directory, as this machine sees it. */
  readonly tree: string;
  /** Puts a file into /root. */
  put(path: string): void;
  /** Runs a script in it, by bash -eu in /root. */
  run(script: string): Promise<Outcome>;
  /** Runs one that must succeed; gives what it printed. */
  must(script: string): Promise<string>;
}

/** Makes one that goes when the test ends. */
export async function bareDebian(t: Pick<TestContext, 'after'>, ...files: string[]): Promise<BareDebian> {
  const directory = mkdtempSync('/var/tmp/brume-bare-');
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const tree = join(directory, 'debian');
  await promisify(execFile)(command, ['make', tree]);
  mkdirSync(join(tree, 'root'), { recursive: true });

  const put = (path: string) => cpSync(path, join(tree, 'root', basename(path)));
  for (const file of files) put(file);

  function run(script: string): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, ['run', tree], { stdio: ['pipe', 'pipe', 'pipe'] });
      const chunks: string[] = [];
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
      }
      child.on('error', reject);
      child.on('close', (code) => resolve({ exitCode: code ?? -1, output: chunks.join('') }));
      child.stdin.end(script);
    });
  }

  async function must(script: string): Promise<string> {
    const { exitCode, output } = await run(script);
    if (exitCode !== 0) throw new Error(`exit ${exitCode}: ${script}\n${output}`);
    return output.trim();
  }

  return { tree, put, run, must };
}
