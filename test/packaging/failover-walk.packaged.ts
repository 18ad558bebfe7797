import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { walkPlannedFailover } from '../runbooks/walk.ts';
import { waitFor } from '../support/wait-for.ts';
import { FIRST, SECOND, Site } from '../systemd/site/site.ts';
import { debPath } from './packages.ts';

const TRIES = 3;

describe('who follows runbooks/redis-failover.md from an installed package, in a booted system', () => {
  let site: Site;
  before(async () => {
    site = await Site.start({
      lay: (tree) => {
        mkdirSync(join(tree, 'root'), { recursive: true });
        cpSync(debPath(), join(tree, 'root', basename(debPath())));
      },
      install: (guest) => guest.must('dpkg', '-i', `/root/${basename(debPath())}`),
      // A busy machine is slow, and the walk is about what gets lost.
      settings: 'BRUME_REDIS_TIMEOUT_MS=1000\n',
    });
    await site.first.must('brume', 'project', 'create', 'shop');
  });
  after(() => site?.end());

  it('moves the master and back, loses no count, and leaves nothing behind', async () => {
    // What outlasts the two seconds of the pause, where others have the machine, may be lost: the runbook says so.
    for (let tried = 1; (await walk()) > 0; tried++) assert.ok(tried < TRIES, 'counts were lost each time');
    assert.doesNotMatch(await site.first.must('brume', 'namespace', 'list', 'shop'), /failover-probe/);
    assert.equal((await site.first.run('sh', '-c', 'ls /tmp/failover-probe*')).stdout, '');
    assert.equal((await site.first.run('pgrep', '-x', 'curl')).stdout, '');
  });

  async function walk(): Promise<number> {
    const { first } = site;
    return walkPlannedFailover({
      text: await first.must('brume', 'runbook', 'show', 'redis-failover'),
      names: [
        ['SENTINEL', FIRST],
        ['MASTER', FIRST],
        ['REPLICA', SECOND],
        ['PROJECT', 'shop'],
      ],
      master: `${FIRST}\n6379`,
      replica: `${SECOND}\n6379`,
      // What goes on in the background must not have the pipe.
      run: async (commands) => {
        await first.run('bash', '-c', `exec >/root/output 2>&1\n${commands}`);
        return (await first.run('cat', '/root/output')).stdout;
      },
      isWell: () => site.isWell(),
      isMoved: async (to) => {
        const address = to === 'replica' ? SECOND : FIRST;
        await waitFor('the master to be moved', async () => (await site.master()) === address);
      },
      isFollowed: () => site.isWell(),
    });
  }
});
