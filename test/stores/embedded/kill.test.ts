import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { collectOutput, stopChild, waitUntil } from '../../support/child-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const KILLS = 50;

/** The guarantee is a second; the rest is for a machine on which everything takes longer. */
const LOST_MS_MAX = 2000;

/** Mostly in the midst of the first writes; some live long enough to have to have written their counts. */
const workMsOf = (kill: number) => (kill % 10 === 9 ? LOST_MS_MAX + 600 : (kill * 37) % 150);

const WRITER = join(import.meta.dirname, 'acknowledging-writer.ts');

/** Lets the writer work, kills it, and tells what it found and what it acknowledged. */
async function killedAfter(stateDir: string, prefix: string, workMs: number) {
  const child = spawn(process.execPath, [WRITER, stateDir, prefix], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = collectOutput(child);
  await waitUntil(child, output, async () => output().includes('\n'));
  await delay(workMs);
  const killedMs = Date.now();
  await stopChild(child, 'SIGKILL');
  const [found = '', ...lines] = output().split('\n');
  const acknowledged = (word: string) =>
    lines.filter((line) => line.startsWith(word)).map((line) => line.slice(word.length + 1));
  return {
    found: JSON.parse(found) as { used: number; projects: string[] },
    projects: acknowledged('project'),
    countedMs: acknowledged('count').map(Number),
    killedMs,
  };
}

describe('a process that is killed while it writes', () => {
  it(`${KILLS} times: all configuration that it acknowledged is there, and so are counts older than a second`, async (t) => {
    const stateDir = temporaryDirectory(t);
    const projects: string[] = [];
    let countedMs: number[] = [];
    let [killedMs, oldCount] = [0, 0];
    for (let kill = 0; kill <= KILLS; kill++) {
      const work = await killedAfter(stateDir, `kill-${kill}`, workMsOf(kill));
      const known = new Set(work.found.projects);
      assert.deepEqual(
        projects.filter((name) => !known.has(name)),
        [],
        `kill ${kill}`,
      );
      const { used } = work.found;
      const old = countedMs.filter((ms) => ms <= killedMs - LOST_MS_MAX).length;
      assert.ok(used >= old, `kill ${kill}: ${used} counted, ${old} were old enough`);
      oldCount = Math.max(old, oldCount);
      projects.push(...work.projects);
      // What was lost is lost, and not to be looked for again.
      countedMs = [...countedMs.slice(0, used), ...work.countedMs];
      killedMs = work.killedMs;
    }
    assert.ok(projects.length >= KILLS / 2 && oldCount > KILLS);
  });
});
