/** Runs the chaos suite; called by scripts/chaos, which says how. */
import { parseArgs } from 'node:util';
import { FIXED_SEEDS } from '../test/chaos/fixed-seeds.ts';
import { type Nodes, startNodes } from '../test/chaos/nodes.ts';
import { appendRecord, readReport, type SeedRecord, summary } from '../test/chaos/report.ts';
import { type Rig, TOPOLOGIES, type Topology } from '../test/chaos/rigs/rig.ts';
import { startRig } from '../test/chaos/rigs/start-rig.ts';
import { runSeed } from '../test/chaos/run-seed.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

/** The servers are made anew after so many seeds. */
const SEEDS_PER_RIG = 20;
/** What the servers of Redis do not do in time, for all that a machine does meanwhile, is tried again. */
const TRIES = 3;

interface Task {
  readonly topology: Topology;
  readonly seed: number;
  readonly events: number;
  readonly faults?: readonly string[];
}

interface Running {
  readonly rig: Rig;
  readonly nodes: Nodes;
  /** What each node held after each seed, in bytes. */
  held: (readonly number[])[];
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    append: { type: 'string' },
    topology: { type: 'string' },
    events: { type: 'string', default: '30' },
    faults: { type: 'string' },
    fixed: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true;
  });

const postgres = await startPostgres();
process.env.BRUME_TEST_POSTGRES = postgres.url;
let running: Running | undefined;
try {
  if (values.fixed) await runFixed();
  else await runSeeds();
} finally {
  await end();
  await postgres.stop();
}

async function runFixed(): Promise<void> {
  let passed = 0;
  let failed = 0;
  for (const task of FIXED_SEEDS) {
    const record = await run(task).catch((error: unknown) => String(error));
    const isGood = typeof record !== 'string' && record.brokenCount === 0;
    if (isGood) passed++;
    else failed++;
    if (typeof record === 'string') console.log(`failed: ${task.topology} ${task.seed}: ${record}`);
  }
  process.exitCode = failed === 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed} failed`);
}

async function runSeeds(): Promise<void> {
  const { seeds = '', append, topology } = values;
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(seeds) ?? [];
  const events = Number(values.events);
  const faults = values.faults?.split(';');
  const topologies = TOPOLOGIES.filter((each) => topology === undefined || each === topology);
  if (first === undefined || append === undefined || topologies.length === 0 || !Number.isSafeInteger(events))
    throw new Error(
      'usage: scripts/chaos --seeds A-B --append REPORT [--topology NAME] [--events N] [--faults A;B]',
    );
  const known = new Set(readReport(append).map((record) => `${record.topology} ${record.seed}`));
  for (const each of topologies) {
    for (let seed = Number(first); seed <= Number(last) && !isInterrupted; seed++) {
      if (known.has(`${each} ${seed}`)) continue;
      try {
        appendRecord(
          append,
          await run({ topology: each, seed, events, ...(faults !== undefined && { faults }) }),
        );
      } catch (error) {
        console.log(`${each} ${seed}: left out: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
  const records = readReport(append);
  process.exitCode = records.every(({ brokenCount }) => brokenCount === 0) ? 0 : 1;
  console.log(summary(records));
}

/** Rejects if the servers didn't come about, several times. */
async function run(task: Task): Promise<SeedRecord> {
  for (let tried = 1; ; tried++) {
    try {
      const record = await tryOnce(task);
      // Ctrl-C reaches the servers and the nodes, too.
      if (isInterrupted && record.brokenCount > 0) throw new Error('interrupted');
      tell(record);
      return record;
    } catch (error) {
      await end();
      if (tried === TRIES || isInterrupted) throw error;
      console.log(`${task.topology} ${task.seed}: again: ${error instanceof Error ? error.message : error}`);
    }
  }
}

async function tryOnce({ topology, seed, events, faults = [] }: Task): Promise<SeedRecord> {
  if (running === undefined || running.rig.topology !== topology || running.held.length >= SEEDS_PER_RIG) {
    await end();
    const rig = await startRig(topology);
    const nodes = await startNodes(rig.url).catch(async (error: unknown) => {
      await rig.stop();
      throw error;
    });
    running = { rig, nodes, held: [] };
  }
  const { rig, nodes, held } = running;
  const record = await runSeed({ rig, nodes, seed, events, faults, held });
  held.push(record.held);
  // What is broken may stay so: the next seed is to be judged by itself.
  if (record.brokenCount > 0) await end();
  return record;
}

async function end(): Promise<void> {
  const ended = running;
  running = undefined;
  if (values.verbose) for (const log of ended?.nodes.logs() ?? []) console.log(log);
  await ended?.nodes.stop();
  await ended?.rig.stop();
}

function tell(record: SeedRecord): void {
  const { topology, seed, events, checks, degraded, denied, durationMs, brokenCount, broken } = record;
  const recovered = Math.max(
    ...events.map(({ recoveredMs, starvedMs }) => (recoveredMs ?? Number.POSITIVE_INFINITY) - starvedMs),
  );
  const seconds = Math.round(durationMs / 1000);
  const counts = `${checks} checks, ${degraded} degraded, ${denied} denied`;
  console.log(
    `${topology} ${seed}: ${events.length} events in ${seconds} s, ${counts}, recovered within ${recovered} ms, ${brokenCount} broken`,
  );
  for (const { invariant, detail, event, atMs } of broken)
    console.log(`  ${invariant}: ${detail} (${event}, ${atMs} ms)`);
}
