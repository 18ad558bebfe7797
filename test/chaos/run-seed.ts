import { Lateness } from './load/lateness.ts';
import { Load } from './load/load.ts';
import { Starvation } from './load/starvation.ts';
import { Subjects } from './load/subjects.ts';
import type { Loss } from './model/ledger.ts';
import { memoryFault } from './model/memory.ts';
import { Witness } from './model/witness.ts';
import { DEADLINE_MS, type Nodes } from './nodes.ts';
import { createRandom } from './random.ts';
import { recovery } from './recovery.ts';
import type { BrokenInvariant, EventRecord, SeedRecord } from './report.ts';
import { pause, type Rig } from './rigs/rig.ts';
import { drawnEvent, type Event, namedEvent } from './schedule.ts';

/** So long after its end a fault may still be felt. */
const RECOVERY_MAX_MS = 5000;
/** What a restored quota and a merge in the background take. */
const SETTLING_MS = 1000;
const BROKEN_KEPT = 40;

export interface SeedRun {
  readonly rig: Rig;
  readonly nodes: Nodes;
  readonly seed: number;
  readonly events: number;
  /** In place of the drawn ones, in turn; empty: none. */
  readonly faults: readonly string[];
  /** What each node held after each seed of this rig so far, in bytes. */
  readonly held: readonly (readonly number[])[];
}

/** Runs a seed's events under load. Rejects if the servers themselves don't come about: that proves nothing. */
export async function runSeed(run: SeedRun): Promise<SeedRecord> {
  const { rig, nodes, seed, events: eventCount, faults } = run;
  const startedMs = Date.now();
  const losses: Loss[] = [];
  const briefLosses: Loss[] = [];
  const events: EventRecord[] = [];
  const broken: BrokenInvariant[] = [];
  let event = 'none';
  const told = new Set<string>();
  const note = (invariant: string, detail: string) => {
    // What stays broken is told once.
    if (told.has(`${invariant} ${detail}`)) return;
    told.add(`${invariant} ${detail}`);
    if (broken.length < BROKEN_KEPT) broken.push({ invariant, detail, event, atMs: Date.now() - startedMs });
  };
  const lateness = new Lateness(nodes.callers, DEADLINE_MS);
  const subjects = new Subjects(`${seed}-${startedMs.toString(36)}`, losses);
  const load = new Load({
    callers: nodes.callers,
    prefix: `${seed}-${startedMs.toString(36)}`,
    // The faults are drawn apart from the load, whose number of calls depends on the machine.
    random: createRandom(seed ^ 0x5eed),
    subjects,
    losses,
    briefLosses,
    lateness,
    eventIndex: () => events.length,
    broken: note,
  });
  const witness = new Witness(rig, losses);
  const degradedBefore = await degradedVerdicts(nodes);
  await witness.start();
  lateness.start();
  load.start();
  try {
    await pause(300);
    for (let index = 0; index < eventCount; index++) {
      const name = faults[index % faults.length];
      const next = name === undefined ? drawnEvent(rig, seed, index) : namedEvent(rig, seed, index, name);
      event = next.fault.name;
      events.push(await oneEvent(next));
      await pause(next.random.integer(0, 150));
    }
    event = 'end';
    await pause(SETTLING_MS);
    await load.stop();
    await witness.look();
    load.judgeSoFar();
    await load.look(null);
    await compareDegraded();
  } catch (error) {
    // Without a node nothing can be told any more, and that is what is to be told.
    if (nodes.ended().length === 0) throw error;
    for (const url of nodes.ended()) note('alive', url);
  } finally {
    await load.stop();
    await witness.stop();
    lateness.stop();
  }
  const areThere = nodes.ended().length === 0;
  const metrics = areThere ? await nodes.metrics() : [];
  const memory = metrics.map((each) => each.get('brume_process_resident_memory_bytes') ?? 0);
  const held = areThere ? await nodes.heldMemory() : [];
  judgeMemory(memory, held);
  return {
    topology: rig.topology,
    seed,
    startedAt: new Date(startedMs).toISOString(),
    durationMs: Date.now() - startedMs,
    events,
    ...load.counts,
    mostOver: load.mostOver(),
    losses: losses.map(({ fromMs, toMs, everything }) => ({ ms: toMs - fromMs, everything })),
    slowestMs: Math.round(lateness.maxMs),
    lagMs: lateness.maxLagMs,
    healthMs: Math.round(lateness.maxHealthMs),
    busyMs: lateness.maxBusyMs,
    latestBeyondMs: lateness.maxBeyondMs,
    memory,
    held,
    brokenCount: told.size,
    broken,
  };

  async function oneEvent({ fault, random }: Event): Promise<EventRecord> {
    const beganMs = Date.now();
    const detail = await fault.run(random, nodes.pids);
    const endedMs = Date.now();
    const starvation = new Starvation(nodes.pids, rig.pids());
    const { elapsedMs: recoveredMs, starvedMs } = await recovery(nodes.callers, starvation, RECOVERY_MAX_MS);
    if (recoveredMs === null)
      note('recovered in time', `${fault.name} ${detail}: not in ${RECOVERY_MAX_MS} ms and ${starvedMs}`);
    // Everything up to here may be gone: a check that was answered since may have come before.
    if (fault.forgetsAll === true) losses.push({ fromMs: beganMs, toMs: Date.now(), everything: true });
    if (fault.forgetsBrief === true)
      briefLosses.push({ fromMs: beganMs, toMs: Date.now(), everything: true });
    await witness.look();
    await rig.heal();
    await witness.look();
    judge();
    await load.look(2);
    return {
      fault: fault.name,
      isLong: fault.isLong,
      atMs: beganMs - startedMs,
      durationMs: endedMs - beganMs,
      recoveredMs,
      starvedMs,
      detail,
    };
  }

  function judge(): void {
    load.judgeSoFar();
    for (const detail of lateness.late()) note('in time', detail);
    for (const url of nodes.ended()) note('alive', url);
  }

  async function compareDegraded(): Promise<void> {
    const counted = (await degradedVerdicts(nodes)) - degradedBefore;
    if (counted !== load.counts.degraded)
      note('degraded is visible', `${load.counts.degraded} answers, ${counted} by the metric`);
  }

  function judgeMemory(residentBytes: readonly number[], heldBytes: readonly number[]): void {
    residentBytes.forEach((resident, index) => {
      const held = [...run.held, heldBytes].map((each) => each[index] ?? 0);
      const fault = memoryFault({ resident, held });
      if (fault !== undefined) note('memory is flat', fault);
    });
  }
}

async function degradedVerdicts(nodes: Nodes): Promise<number> {
  let sum = 0;
  for (const metrics of await nodes.metrics())
    for (const [name, value] of metrics)
      if (name.startsWith('brume_verdicts_total{') && name.includes('degraded="true"')) sum += value;
  return sum;
}
