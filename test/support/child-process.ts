import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** What the child has printed so far, both streams together. */
export function collectOutput(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  }
  return () => chunks.join('');
}

/** Polls until the condition holds; fails at once if the child ends before. */
export async function waitUntil(
  child: ChildProcess,
  output: () => string,
  condition: () => Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (hasEnded(child)) throw new Error(`${child.spawnfile} ended too early:\n${output()}`);
    if (performance.now() > endMs) throw new Error(`${child.spawnfile} is not ready:\n${output()}`);
    await delay(20);
  }
}

/** Sends the signal and waits for the end; kills what hasn't ended in time. Resolves with the exit code. */
export async function stopChild(
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM',
  timeoutMs = 20_000,
): Promise<number | null> {
  if (!hasEnded(child)) {
    const ended = once(child, 'exit');
    child.kill(signal);
    const killer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    await ended;
    clearTimeout(killer);
  }
  return child.exitCode;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
