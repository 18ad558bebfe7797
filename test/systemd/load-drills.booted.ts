import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import type { DrillReport } from '../../src/operations/drill/run-drill.ts';
import { NODES, SECOND, Site } from './site/site.ts';
import { type Noted, type Testimony, testimony, type WitnessPlan } from './site/testimony.ts';

const DRILL_RATE = 50;
const WITNESS_RATE = 80;
const LIMIT = WITNESS_RATE / 2;
const SLICE_MS = 100;
/** Each sees a node by its own checks of it, in turn with the other node. */
const INTERVALS_MS = NODES.length * (1000 / DRILL_RATE + 1000 / WITNESS_RATE);
/** Two checks that a node has at the same moment, and the time that each of both takes for the answer. */
const HANDLING_MS = 60;

/** A busy machine is slower than any objective. */
const SETTINGS = `BRUME_REDIS_TIMEOUT_MS=500
BRUME_KEY_LOOKUP_TIMEOUT_MS=5000
BRUME_OBJECTIVE_RECOVERED_MS=60000
BRUME_OBJECTIVE_SLOWEST_MS=60000
`;

let site: Site;
let key: string;
before(async () => {
  site = await Site.start({ settings: SETTINGS });
  const { first } = site;
  await first.must('brume', 'project', 'create', 'shop');
  const rule = ['--limit', String(LIMIT), '--window', '1d', '--algorithm', 'fixed_window'];
  await first.must('brume', 'namespace', 'create', 'shop', 'api', ...rule);
  ({ key } = JSON.parse(await first.must('brume', 'key', 'create', 'shop', 'witness', '--json')));
});
after(() => site?.end());

interface Told {
  readonly exitCode: number;
  readonly report: DrillReport;
  readonly seen: Testimony;
  /** Whether the master of Redis is another one than before. */
  readonly isMoved: boolean;
}

/** Does a drill, the report of which has to say what the witness says. */
async function drill(name: string, words: readonly string[], options = {}): Promise<Told> {
  const told = await once(name, words);
  const apart = differences(told, options);
  const both = () => JSON.stringify({ told: told.report.timeline, seen: told.seen });
  if (apart.length > 0) assert.fail(`They do not agree: ${apart.join(', ')}: ${both()}`);
  return told;
}

/** On the first node, under the load of a witness on both. */
async function once(name: string, words: readonly string[]): Promise<Told> {
  await site.isWell();
  const master = await site.master();
  const run = `${name}-${Date.now().toString(36)}`;
  const plan: WitnessPlan = { nodes: NODES, key, namespace: 'api', run, rate: WITNESS_RATE };
  const witness = site.first.startBeside(join(import.meta.dirname, 'site/witness.ts'), JSON.stringify(plan));
  const lines = createInterface({ input: witness.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'steady');
  const nodes = NODES.flatMap((node) => ['--node', node]);
  const options = ['--live', '--yes', '--json', '--rate', String(DRILL_RATE), ...nodes];
  const { exitCode, stdout, stderr } = await site.first.run('brume', 'drill', name, ...options, ...words);
  witness.stdin.end();
  const noted: Noted[] = JSON.parse((await lines.next()).value ?? '');
  assert.ok(exitCode < 2 && stdout !== '', stderr);
  const report: DrillReport = JSON.parse(stdout);
  const beganMs = Date.parse(report.beganAt);
  const fromMs = beganMs - report.faultAtMs;
  const toMs = fromMs + report.slices.length * SLICE_MS;
  const watch = { beganMs, fromMs, toMs, rate: WITNESS_RATE, limit: LIMIT };
  const isMoved = (await site.master()) !== master;
  return { exitCode, report, seen: testimony(noted, watch), isMoved };
}

/** What the report says otherwise than the witness. */
function differences({ report: { timeline }, seen }: Told, { isWitnessSpared = false } = {}): string[] {
  const pairs: Record<string, readonly [number | null, number | null]> = {
    detected: [timeline.detectedMs, seen.detectedMs],
    recovered: [timeline.recoveredMs, seen.recoveredMs],
    degraded: [asMs(timeline.degraded), seen.degradedSeconds * 1000],
    lost: [asMs(timeline.lost), seen.lostSeconds * 1000],
    ...(!isWitnessSpared && { aboveLimit: [asMs(timeline.aboveLimit), seen.aboveLimitSeconds * 1000] }),
  };
  const apartMs = mayBeApartMs(timeline, seen);
  return Object.entries(pairs).flatMap(([what, [told, witnessed]]) =>
    (told === null) === (witnessed === null) && Math.abs((told ?? 0) - (witnessed ?? 0)) <= apartMs
      ? []
      : [what],
  );
}

/** No more than what neither can see: what is between their checks, and what comes while one of them is held up. */
function mayBeApartMs(told: DrillReport['timeline'], seen: Testimony): number {
  return INTERVALS_MS + HANDLING_MS + told.heldUpMs + seen.heldUpMs;
}

/** As if so many milliseconds of the drill's checks were. */
function asMs(checks: number): number {
  return (checks / DRILL_RATE) * 1000;
}

const POSTMASTER_START = `runuser -u postgres -- psql -Atc 'select pg_postmaster_start_time()'`;

/** A command for the second node, as an operator gives it. */
function onSecond(command: string): string {
  return `ssh ${SECOND} ${command}`;
}

test('redis-hang: report and witness agree on the pause, and on its end', async () => {
  const told = await drill('redis-hang', ['--lasts', '2s']);
  assert.equal(told.exitCode, 0, JSON.stringify(told.report.outcomes));
  assert.ok(told.seen.degradedSeconds > 0.5, JSON.stringify(told.seen));
  assert.deepEqual([told.report.timeline.lost, told.seen.aboveLimitSeconds], [0, 0]);
});

test('redis-flush: what the drill had used is admitted again, and nothing of what the witness had', async () => {
  const told = await drill('redis-flush', [], { isWitnessSpared: true });
  assert.equal(told.exitCode, 0, JSON.stringify(told.report.outcomes));
  assert.deepEqual([told.seen.aboveLimitSeconds, told.seen.lostSeconds], [0, 0]);
  // Whoever flushes everything does to both what the drill did to itself.
  const flush = ['--begin', 'redis-cli flushall', '--end', 'true'];
  const both = await drill('redis-loss', ['--lasts', '1ms', ...flush]);
  assert.ok(both.seen.aboveLimitSeconds > 0, JSON.stringify(both.seen));
  const { timeline } = told.report;
  const apartMs = Math.abs(asMs(timeline.aboveLimit) - both.seen.aboveLimitSeconds * 1000);
  assert.ok(apartMs <= mayBeApartMs(timeline, both.seen), JSON.stringify([timeline, both.seen]));
});

test('redis-loss: a Redis that is stopped and started has its counts again', async () => {
  const commands = ['--begin', 'systemctl stop redis-server', '--end', 'systemctl start redis-server'];
  const told = await drill('redis-loss', ['--lasts', '2s', ...commands]);
  assert.equal(told.exitCode, 0, JSON.stringify(told.report.outcomes));
  assert.ok(told.seen.degradedSeconds > 1, JSON.stringify(told.seen));
  assert.equal(told.seen.aboveLimitSeconds, 0);
});

test('redis-loss: of one that is killed what it had not saved is admitted again, to both alike', async () => {
  await site.first.must('redis-cli', 'config', 'set', 'save', '');
  const kill = ['--begin', 'systemctl kill --signal=KILL redis-server'];
  const told = await drill('redis-loss', ['--lasts', '1ms', ...kill, '--end', 'true']);
  assert.ok(told.seen.aboveLimitSeconds > 0, JSON.stringify(told.seen));
});

test('postgres-loss: nobody notices', async () => {
  const startOf = () => site.first.must('sh', '-c', POSTMASTER_START);
  const before = await startOf();
  const commands = ['--begin', 'systemctl stop postgresql', '--end', 'systemctl start postgresql'];
  const told = await drill('postgres-loss', ['--lasts', '2s', ...commands]);
  assert.equal(told.exitCode, 0);
  assert.equal(told.seen.detectedMs, null);
  assert.notEqual(await startOf(), before, 'it was stopped');
});

test('node-loss: what is asked of the node is lost to both, and the objective is not met', async () => {
  const commands = ['--begin', onSecond('systemctl stop brume'), '--end', onSecond('systemctl start brume')];
  const told = await drill('node-loss', ['--lasts', '2s', ...commands]);
  assert.equal(told.exitCode, 1);
  assert.ok(told.seen.lostSeconds > 0.7, JSON.stringify(told.seen));
  assert.equal(told.report.outcomes.find(({ objective }) => objective === 'lost')?.isMet, false);
  assert.equal(told.report.timeline.degraded, 0);
});

test('restart: a reload loses nothing', async () => {
  const pidOf = async () => JSON.parse(await site.first.must('brume', 'status', '--json')).pid;
  const before = await pidOf();
  const told = await drill('restart', ['--begin', 'systemctl reload brume']);
  assert.equal(told.exitCode, 0);
  assert.deepEqual([told.seen.lostSeconds, told.seen.aboveLimitSeconds], [0, 0]);
  assert.notEqual(await pidOf(), before, 'it was reloaded');
});

test('redis-failover: the replica takes over, and with writes held back no count is lost', async () => {
  const told = await drill('redis-failover', ['--pause-writes', '5s']);
  assert.equal(told.exitCode, 0, JSON.stringify(told.report.outcomes));
  assert.ok(told.isMoved);
  assert.deepEqual([told.report.timeline.lost, told.seen.aboveLimitSeconds], [0, 0]);
  assert.match(told.report.fault, /, while its masters held back writes for 5000 ms at most$/);
});
