import { equal, ok } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { findRunbook } from '../../src/operations/runbook/runbook.ts';
import { BRUME_COMMAND, type BrumeProcess, startBrume } from '../support/brume-process.ts';
import type { RigProcess } from '../support/rig-process.ts';
import { inStep, knowsReplicas } from '../support/sentinel-words.ts';
import { type SentinelRig, startSentinels } from '../support/sentinels.ts';
import { waitFor } from '../support/wait-for.ts';
import { walkPlannedFailover } from './walk.ts';

/** Somebody who follows runbooks/redis-failover.md; test/packaging/runbooks.packaged.ts does so in booted systems. */
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
    await run(`kill "$(cat '${directory}/failover-probe.pid')"`);
    await brume.stop();
    await rig.stop();
    rmSync(directory, { recursive: true });
  });

  it('moves the master and back, loses no count, and leaves nothing behind', {
    timeout: 240_000,
  }, async () => {
    const lost = await walkPlannedFailover({
      text: findRunbook('redis-failover')?.text ?? '',
      names: [
        ['/tmp/', `${directory}/`],
        ['-h SENTINEL -p 26379', `-p ${rig.sentinels[0]?.port}`],
        ['-h MASTER', `-p ${master.port}`],
        ['-h REPLICA', `-p ${replica.port}`],
        ['/run/brume/admin.sock', brume.settings.BRUME_ADMIN_SOCKET ?? ''],
        ['PROJECT', 'shop'],
        // Two seconds outlast a promotion, but not where a busy machine lets nobody run for as long.
        ['pause 2000 write', 'pause 10000 write'],
      ],
      master: `127.0.0.1\n${master.port}`,
      replica: `127.0.0.1\n${replica.port}`,
      run,
      isWell: async () => {
        await waitFor('all to be well', async () => (await brume.run('status')).exitCode === 0);
      },
      isMoved: async (to) => {
        const [former, next] = to === 'replica' ? [master, replica] : [replica, master];
        equal(await rig.promotedInPlaceOf(former), next);
      },
      isFollowed: async () => {
        await inStep(replica, 1);
        for (const sentinel of rig.sentinels) await knowsReplicas(sentinel, 1);
      },
    });
    ok(lost <= 0, String(lost));
    const { stdout } = await brume.run('namespace', 'list', 'shop');
    ok(!stdout.includes('failover-probe'), stdout);
  });

  /** As a shell would; what is left running in the background must not have the pipes. */
  async function run(commands: string): Promise<string> {
    const output = join(directory, 'output');
    const env = { PATH: process.env.PATH, ...brume.settings };
    const shell = `brume() { ${BRUME_COMMAND.map((word) => `'${word}'`).join(' ')} "$@"; }
exec > '${output}' 2>&1
${commands}`;
    await promisify(execFile)('bash', ['-c', shell], { env }).catch(() => undefined);
    return readFileSync(output, 'utf8');
  }
});
