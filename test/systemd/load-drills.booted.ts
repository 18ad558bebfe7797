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
/** Each sees a fault by its own checks, and either may be held up for a moment. */
const APART_MS = 1000 / DRILL_RATE + 1000 / WITNESS_RATE + 250;

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
}

/** Does a drill on the first node, under the load of a witness on both. */
async function drill(name: string, ...words: string[]): Promise<Told> {
  await site.isWell();
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
  return { exitCode, report, seen: testimony(noted, watch) };
}

/** The report says what the witness says. */
function assertAgree({ report: { timeline }, seen }: Told, { countsAreShared = true } = {}): void {
  const asMs = (checks: number) => (checks / DRILL_RATE) * 1000;
  const pairs: Record<string, readonly [number | null, number | null]> = {
    detected: [timeline.detectedMs, seen.detectedMs],
    recovered: [timeline.recoveredMs, seen.recoveredMs],
    degraded: [asMs(timeline.degraded), seen.degradedSeconds * 1000],
    lost: [asMs(timeline.lost), seen.lostSeconds * 1000],
    ...(countsAreShared && { aboveLimit: [asMs(timeline.aboveLimit), seen.aboveLimitSeconds * 1000] }),
  };
  for (const [what, [told, witnessed]] of Object.entries(pairs)) {
    const both = `${what}: ${JSON.stringify({ told: timeline, seen })}`;
    assert.equal(told === null, witnessed === null, both);
    assert.ok(Math.abs((told ?? 0) - (witnessed ?? 0)) <= APART_MS, both);
  }
}

/** A command for the second node, as an operator gives it. */
function onSecond(command: string): string {
  return `ssh ${SECOND} ${command}`;
}

test('redis-hang: report and witness agree on the pause, and on its end', async () => {
  const told = await drill('redis-hang', '--lasts', '2s');
  assertAgree(told);
  assert.equal(told.exitCode, 0, JSON.stringify(told.report.outcomes));
  assert.ok(told.seen.degradedSeconds > 0.5, JSON.stringify(told.seen));
  assert.deepEqual([told.report.timeline.lost, told.seen.aboveLimitSeconds], [0, 0]);
});

test('redis-flush: what the drill had used is admitted again, and nothing of what the witness had', async () => {
  const told = await drill('redis-flush');
  assertAgree(told, { countsAreShared: false });
  assert.ok(told.report.timeline.aboveLimit > 0, JSON.stringify(told.report.timeline));
  assert.deepEqual([told.seen.aboveLimitSeconds, told.seen.lostSeconds], [0, 0]);
});

test('redis-loss: a Redis that is stopped and started has its counts again', async () => {
  const commands = ['--begin', 'systemctl stop redis-server', '--end', 'systemctl start redis-server'];
  const told = await drill('redis-loss', '--lasts', '2s', ...commands);
  assertAgree(told);
  assert.equal(told.exitCode, 0, JSON.stringify(told.report.outcomes));
  assert.ok(told.seen.degradedSeconds > 1, JSON.stringify(told.seen));
  assert.equal(told.seen.aboveLimitSeconds, 0);
});

test('redis-loss: of one that is killed what it had not saved is admitted again, to both alike', async () => {
  await site.first.must('redis-cli', 'config', 'set', 'save', '');
  const kill = ['--begin', 'systemctl kill --signal=KILL redis-server'];
  const told = await drill('redis-loss', '--lasts', '1ms', ...kill);
  assertAgree(told);
  assert.ok(told.seen.aboveLimitSeconds > 0, JSON.stringify(told.seen));
});

test('postgres-loss: nobody notices', async () => {
  const commands = ['--begin', 'systemctl stop postgresql', '--end', 'systemctl start postgresql'];
  const told = await drill('postgres-loss', '--lasts', '2s', ...commands);
  assertAgree(told);
  assert.equal(told.exitCode, 0);
  assert.equal(told.seen.detectedMs, null);
});

test('node-loss: what is asked of the node is lost to both, and the objective is not met', async () => {
  const commands = ['--begin', onSecond('systemctl stop brume'), '--end', onSecond('systemctl start brume')];
  const told = await drill('node-loss', '--lasts', '2s', ...commands);
  assertAgree(told);
  assert.equal(told.exitCode, 1);
  assert.ok(told.seen.lostSeconds > 0.7, JSON.stringify(told.seen));
  assert.equal(told.report.outcomes.find(({ objective }) => objective === 'lost')?.isMet, false);
  assert.equal(told.report.timeline.degraded, 0);
});

test('restart: a reload loses nothing', async () => {
  const told = await drill('restart', '--begin', 'systemctl reload brume');
  assertAgree(told);
  assert.equal(told.exitCode, 0);
  assert.deepEqual([told.seen.lostSeconds, told.seen.aboveLimitSeconds], [0, 0]);
});

test('redis-failover: the replica takes over, and with writes held back no count is lost', async () => {
  const told = await drill('redis-failover', '--pause-writes', '5s');
  assertAgree(told);
  assert.equal(told.exitCode, 0, JSON.stringify(told.report.outcomes));
  assert.equal(await site.master(), SECOND);
  assert.deepEqual([told.report.timeline.lost, told.seen.aboveLimitSeconds], [0, 0]);
});
