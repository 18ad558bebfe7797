/**
 * How long calls wait while the embedded stores pass from one process to the next: as the process that gives
 * them away logs it, and the slowest of the calls that were made one after the other meanwhile. Medians.
 *
 *     npm run build
 *     TEST_BRUME_EXECUTABLE=dist/brume node scripts/measure-hand-over.ts [--identifiers 0,10000,500000] [--rounds 5]
 *
 * Beside it, how long reading them takes before that, while the first one serves.
 */
import { parseArgs } from 'node:util';
import { systemClock } from '../src/limiter/clock.ts';
import { NOTHING_HELD } from '../src/limiter/held.ts';
import type { Entry } from '../src/stores/embedded/entry.ts';
import { writeCounters } from '../src/stores/embedded/stored-counters.ts';
import { Caller } from '../test/appliance/hand-over/calls.ts';
import { SharedSockets } from '../test/support/shared-sockets.ts';
import { newKey } from './memory/subjects.ts';

const { values } = parseArgs({
  options: {
    identifiers: { type: 'string', default: '0,10000,500000' },
    rounds: { type: 'string', default: '5' },
  },
});

const YEAR_MS = 366 * 86_400_000;

for (const identifiers of values.identifiers.split(',').map(Number)) {
  const rows: { frozenMs: number; slowestMs: number; readMs: number }[] = [];
  const cleanups: (() => unknown)[] = [];
  try {
    const shared = await SharedSockets.open({
      after: (work) => void (work && cleanups.push(work as () => unknown)),
    });
    await writeCounters({ stateDir: shared.stateDir, clock: systemClock }, counted(identifiers));
    let serving = await shared.start();
    const caller = await Caller.of(shared, { login: 1_000_000 });
    for (let round = 0; round < Number(values.rounds); round++) {
      let [isOver, slowestMs] = [false, 0];
      const calling = (async () => {
        while (!isOver) {
          const startedMs = performance.now();
          await caller.check('login', 'alice');
          slowestMs = Math.max(slowestMs, performance.now() - startedMs);
        }
      })();
      const next = await shared.start();
      isOver = true;
      await calling;
      await serving.ended;
      rows.push({
        slowestMs,
        frozenMs: numberIn(serving.log(), 'frozenMs'),
        readMs: numberIn(next.log(), 'tookMs'),
      });
      serving = next;
    }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
  const median = (of: (row: (typeof rows)[number]) => number): number =>
    Math.round(rows.map(of).toSorted((a, b) => a - b)[Math.floor(rows.length / 2)] ?? Number.NaN);
  console.log(
    `${identifiers} identifiers: calls held up for ${median(({ frozenMs }) => frozenMs)} ms, the slowest took ` +
      `${median(({ slowestMs }) => slowestMs)} ms; ${median(({ readMs }) => readMs)} ms of reading beforehand`,
  );
}

function* counted(identifiers: number): Iterable<[string, Entry]> {
  const startMs = Math.floor(systemClock.nowMs() / YEAR_MS) * YEAR_MS;
  const expiresMonotonicMs = systemClock.monotonicMs() + YEAR_MS;
  for (let made = 0; made < identifiers; made++) {
    const state = { algorithm: 'fixed_window', identity: 1, startMs, used: 1 } as const;
    const records = new Map([['default', state]]);
    yield [newKey(), { held: { ...NOTHING_HELD, records }, answers: undefined, expiresMonotonicMs }];
  }
}

function numberIn(log: string, name: string): number {
  return Number(new RegExp(`"${name}":(\\d+)`).exec(log)?.[1]);
}
