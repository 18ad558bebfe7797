import { equal, match, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { findRunbook, sectionOf } from '../../src/operations/runbook/runbook.ts';
import { BRUME_COMMAND, type BrumeProcess, startBrume } from '../support/brume-process.ts';
import type { RigProcess } from '../support/rig-process.ts';
import { inStep, knowsReplicas } from '../support/sentinel-words.ts';
import { type SentinelRig, startSentinels } from '../support/sentinels.ts';
import { waitFor } from '../support/wait-for.ts';
import { codeBlocks, headingsOf } from './markdown.ts';

const SECTION = sectionOf(findRunbook('redis-failover')?.text ?? '', 'Planned, with Sentinels') ?? '';

/** Somebody who follows runbooks/redis-failover.md by the letter, and waits where it says so. */
describe('a planned failover with Sentinels, by the runbook', () => {
  const directory = mkdtempSync(join(tmpdir(), 'brume-walk-'));
  let rig: SentinelRig;
  let brume: BrumeProcess;
  let master: RigProcess;
  let replica: RigProcess;

  before(async () => {
    rig = await startSentinels({ replicas: 1, downAfterMs: 5000 });
    [master, replica] = rig.servers as [RigProcess, RigProcess];
    brume = await startBrume({ BRUME_REDIS_URL: rig.url, BRUME_REDIS_TIMEOUT_MS: '1000' });
    await brume.json('project', 'create', 'shop');
  });

  after(async () => {
    // Where a step failed, what step 3 began is still there.
    await shell(`kill "$(cat '${directory}/failover-probe.pid')"`);
    await brume.stop();
    await rig.stop();
    rmSync(directory, { recursive: true });
  });

  it('moves the master and back, loses no count, and leaves nothing behind', {
    timeout: 240_000,
  }, async () => {
    equal(headingsOf(SECTION).filter(({ level }) => level === 4).length, 8);

    const seen = await step(1);
    match(seen, /^status +ready$/m);
    match(seen, /^OK \d usable Sentinels/m);
    ok(seen.includes(`\n127.0.0.1\n${master.port}\n`), seen);
    await step(2);
    await step(3);
    match(await step(4), /\nOK\nOK\n/);
    equal(await rig.promotedInPlaceOf(master), replica);
    await isWell();
    match(await step(5), new RegExp(`^127.0.0.1\n${replica.port}\nmaster\n`));

    const [, counted = '', known = '', lost = ''] =
      /^counted (\d+), known to Redis (\d+), lost (-?\d+), degraded \d+$/m.exec(await step(6)) ?? [];
    ok(Number(counted) > 10 && Number(known) >= Number(counted), `${counted} ${known}`);
    ok(Number(lost) <= 0, lost);

    await inStep(replica, 1);
    for (const sentinel of rig.sentinels) await knowsReplicas(sentinel, 1);
    await waitFor('the way back', async () => (await step(7)).includes('\nOK\nOK\n'), { timeoutMs: 120_000 });
    equal(await rig.promotedInPlaceOf(replica), master);
    await isWell();
    await step(8);
    const { stdout } = await brume.run('namespace', 'list', 'shop');
    ok(!stdout.includes('failover-probe'), stdout);
  });

  async function isWell(): Promise<void> {
    await waitFor('all to be well', async () => (await brume.run('status')).exitCode === 0);
  }

  /** Runs what stands in a step as a shell would, with the names of this machine. */
  async function step(number: number): Promise<string> {
    const title = headingsOf(SECTION).find(({ title: each }) => each.startsWith(`Step ${number}:`))?.title;
    const commands = codeBlocks(`${sectionOf(SECTION, title ?? '') ?? ''}\n`, 'sh')
      .join('')
      .replaceAll('/tmp/', `${directory}/`)
      .replaceAll('-h SENTINEL -p 26379', `-p ${rig.sentinels[0]?.port}`)
      .replaceAll('-h MASTER', `-p ${master.port}`)
      .replaceAll('-h REPLICA', `-p ${replica.port}`)
      .replaceAll('/run/brume/admin.sock', brume.settings.BRUME_ADMIN_SOCKET ?? '')
      .replaceAll('PROJECT', 'shop')
      // Two seconds outlast a promotion, but not where a busy machine lets nobody run for as long.
      .replaceAll('pause 2000 write', 'pause 10000 write');
    ok(commands !== '', `there is no step ${number}`);
    await shell(`brume() { ${BRUME_COMMAND.map((word) => `'${word}'`).join(' ')} "$@"; }
exec > '${directory}/output' 2>&1
${commands}`);
    return readFileSync(join(directory, 'output'), 'utf8');
  }

  /** What it leaves running in the background must not have the pipes. */
  async function shell(commands: string): Promise<void> {
    const env = { PATH: process.env.PATH, ...brume.settings };
    await promisify(execFile)('bash', ['-c', commands], { env }).catch(() => undefined);
  }
});
