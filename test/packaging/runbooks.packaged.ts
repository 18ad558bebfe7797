import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findRunbook, runbookNames, sectionOf } from '../../src/operations/runbook/runbook.ts';
import { judged, pastedLines } from '../runbooks/executed.ts';
import { runbookFiles } from '../runbooks/markdown.ts';
import { walkPlannedFailover } from '../runbooks/walk.ts';
import { waitFor } from '../support/wait-for.ts';
import { FIRST, SECOND, Site } from '../systemd/site/site.ts';
import { debianVersion, debPath, nextVersion, version } from './packages.ts';

const TRIES = 3;
/** Where apt finds both versions. */
const REPOSITORY = '/srv/repository';
const PSQL = 'export PGUSER=postgres PGPASSWORD=postgres';
/** What tells of a command that is none, or of one with options that are none. */
const NOT_UNDERSTOOD =
  /command not found|unrecognized option|unknown option|invalid option|unknown (operation|command)|syntax error|No such file|^(\(error\) )?(ERR|WRONGTYPE|NOPERM|MISCONF|READONLY) /im;

describe('the runbooks, followed from an installed package in booted systems with stores and two nodes', () => {
  let site: Site;
  before(async () => {
    site = await Site.start({
      lay: layRepository,
      install: async (guest) => {
        await guest.must('sh', '-c', 'rm -f /etc/apt/sources.list.d/*');
        const line = pastedLines(textOf('site-lost.md')).find((each) => each.startsWith('apt-get install'));
        await guest.must('bash', '-c', `cd ${REPOSITORY}\n${line?.replace('VERSION', version)}`);
      },
      // A busy machine is slow, and the walk is about what gets lost.
      settings: 'BRUME_REDIS_TIMEOUT_MS=1000\nBRUME_KEY_LOOKUP_TIMEOUT_MS=5000\n',
    });
    await site.first.must('bash', '-ec', FIXTURES);
  });
  after(() => site?.end());

  it('redis-failover.md moves the master and back, loses no count, and leaves nothing behind', async () => {
    // What outlasts the two seconds of the pause, where others have the machine, may be lost: the runbook says so.
    for (let tried = 1; (await walk()) > 0; tried++) assert.ok(tried < TRIES, 'counts were lost each time');
    assert.doesNotMatch(await site.first.must('brume', 'namespace', 'list', 'shop'), /failover-probe/);
    assert.equal((await site.first.run('sh', '-c', 'ls /tmp/failover-probe*')).stdout, '');
    assert.equal((await site.first.run('pgrep', '-x', 'curl')).stdout, '');
  });

  it('every diagnosis says where one is', async () => {
    const names = runbookNames().filter((name) => (findRunbook(name)?.branches.length ?? 0) > 0);
    assert.ok(names.length > 30, names.join(', '));
    // It counts in Redis, and has no certificate: of the alerts about those it has no figure.
    const missing = ['certificate-ends', 'embedded-counters-full', 'embedded-counters-not-saved'];
    const all = `printf '%s\\n' ${names.join(' ')} |
      xargs -P 8 -I NAME sh -c 'brume runbook check NAME >/tmp/NAME.txt 2>&1; echo $? NAME'`;
    const ended = (await site.first.must('bash', '-c', all)).split('\n');
    assert.equal(ended.length, names.length);
    assert.deepEqual(
      ended.filter((line) => !line.startsWith('0 ')).sort(),
      missing.map((name) => `1 ${name}`),
    );
  });

  for (const { file, text } of runbookFiles()) {
    it(`${file}: its commands do what they are there for`, async () => {
      for (const line of pastedLines(text)) await runLine(line);
    });
  }

  it('upgrade-and-rollback.md upgrades by one version, and goes back', async () => {
    await follow('upgrade-and-rollback.md', 'Upgrading');
    assert.equal(await servedVersion(), nextVersion);
    await follow('upgrade-and-rollback.md', 'Going back', debianVersion(version));
    assert.equal(await servedVersion(), version);
    await follow('upgrade-and-rollback.md', 'The schema is too new for this version');
    assert.equal(await servedVersion(), nextVersion);
  });

  it('all is well after that', () => site.isWell());

  /** Once, in whichever runbook it comes first. */
  const done = new Set<string>();
  async function runLine(line: string): Promise<void> {
    const how = judged(line);
    if (how === undefined || 'reason' in how || done.has(line)) return;
    done.add(line);
    // Some series are there only once somebody has asked.
    if (line.includes('/metrics')) await site.first.get('http://127.0.0.1:8600/v1/limit');
    const here = `${PSQL}\ncd ${REPOSITORY}\n${await named(line)}`;
    const { exitCode, stdout, stderr } = await site.first.run('bash', '-c', here);
    const said = stdout + stderr;
    const what = `${line}: exit ${exitCode}\n${said}`;
    assert.ok((how.exits ?? [0]).includes(exitCode), what);
    if (how.says === undefined) assert.doesNotMatch(stderr === '' ? stdout : stderr, NOT_UNDERSTOOD, what);
    else assert.match(said, how.says, what);
    if (how.undo === undefined) return;
    await site.first.must('bash', '-c', await named(how.undo));
    await site.isWell();
  }

  /** Does what stands in a section, on Debian. */
  async function follow(file: string, heading: string, ofVersion = ''): Promise<void> {
    const lines = pastedLines(sectionOf(textOf(file), heading) ?? '');
    for (const line of lines.filter((each) => !/^dnf |restore| \.\/brume_/.test(each))) {
      await site.first.must('bash', '-c', line.replace('VERSION', ofVersion));
    }
  }

  async function servedVersion(): Promise<unknown> {
    return JSON.parse(await site.first.must('brume', 'status', '--json')).version;
  }

  /** With the names of this site, as a reader replaces those of the text. */
  async function named(line: string): Promise<string> {
    const names: Readonly<Record<string, string>> = {
      ...NAMES,
      ...(line.includes('203.0.113.') && { NAMESPACE: 'addresses' }),
      ...(line.includes('KEY_ID') && { KEY_ID: await freshKey() }),
    };
    return line.replace(/\b[A-Z][A-Z0-9_]+\b/g, (word) => names[word] ?? word);
  }

  async function freshKey(): Promise<string> {
    return JSON.parse(await site.first.must('brume', 'key', 'create', 'shop', 'web', '--json')).id;
  }

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

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, '../../runbooks', file), 'utf8');
}

const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['HOST', 'SENTINEL', 'MASTER', 'OLD', 'PRIMARY', 'STANDBY'].map((name) => [name, FIRST]),
  ),
  NEW: SECOND,
  REPLICA: SECOND,
  PROJECT: 'shop',
  NAMESPACE: 'api',
  IDENTIFIER: 'ann',
  TIER: 'gold',
  LOGIN: 'anna',
  NAME: 'ci',
  REVISION: '1',
  FILE: '/root/site.crt',
  CERTIFICATE: '/root/site.crt',
  KEY: '/root/site.key',
  OTHER_DISK: 'root',
  NEW_SHA256: 'a'.repeat(64),
  OLD_SHA256: 'a'.repeat(64),
};

const FIXTURES = `
  brume project create shop
  brume namespace create shop api --limit 100 --window 1h
  brume namespace create shop addresses --limit 100 --window 1h --kind ip
  brume tier create gold --calls-per-day 1000
  brume user invite anna
  brume backup /var/backups/brume.backup
  printf %s postgres://brume:brume@${FIRST}/brume >/etc/brume/database-url
  printf %s redis+sentinel://${FIRST}:26379/mymaster >/etc/brume/redis-url
  openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=site.test -days 2 -keyout /root/site.key -out /root/site.crt
  runuser -u postgres -- psql -qc "alter role postgres password 'postgres'"`;

/** Both versions, where apt finds them, and nothing else, which it would look for on the Internet. */
function layRepository(tree: string): void {
  const directory = join(tree, REPOSITORY);
  mkdirSync(directory, { recursive: true });
  for (const deb of [debPath(), debPath(nextVersion)]) cpSync(deb, join(directory, basename(deb)));
  const packages = execFileSync('apt-ftparchive', ['packages', '.'], { cwd: directory });
  writeFileSync(join(directory, 'Packages'), packages);
  mkdirSync(join(tree, 'etc/apt/apt.conf.d'), { recursive: true });
  writeFileSync(join(tree, 'etc/apt/sources.list'), `deb [trusted=yes] file:${REPOSITORY} ./\n`);
  writeFileSync(
    join(tree, 'etc/apt/apt.conf.d/90unattended'),
    'APT::Get::Assume-Yes "true";\nDpkg::Options "--force-confold";\n',
  );
}
