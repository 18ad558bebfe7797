import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { ManualClock } from '../../test/support/counter-engines.ts';
import type { Subject } from './subjects.ts';

export const WINDOWS = 3;
export const COLUMNS_PER_WINDOW = 10;

/** A request as it is drawn: in the column in which it was denied or may proceed. */
export interface Drawn {
  readonly column: number;
  readonly admitted: boolean;
}

interface Stream {
  readonly title: string;
  /** When requests come, in columns. */
  readonly times: readonly number[];
}

const BURSTS: Stream = {
  title: 'Two bursts of 12, on either side of a window’s end',
  times: [...evenly(8, 10, 12), ...evenly(10, 12, 12)],
};

const STEADY: Stream = {
  title: 'A steady stream of 20 in each window',
  // It ends early, so that what was told to wait is still on the paper.
  times: evenly(0, 25, 50),
};

export const STREAMS: readonly Stream[] = [BURSTS, STEADY];

/** A multiple of every window. */
const START_MS = 1_800_000_000_000;

/** Asks the reference model, as a node without Redis does. */
export async function judged(subject: Subject, { times }: Stream): Promise<Drawn[]> {
  const columnMs = subject.windowMs / COLUMNS_PER_WINDOW;
  const clock = new ManualClock();
  const counters = new EmbeddedCounters({ clock, identifiersMax: 1 });
  const drawn: Drawn[] = [];
  for (const [request, time] of times.entries()) {
    clock.set(START_MS + Math.round(time * columnMs));
    const check = { key: 'drawn', set: subject.set, cost: 1, peek: false, ...subject.more(request) };
    const { admitted, nowMs, limits } = await counters.check(check);
    const proceedsMs = nowMs - START_MS + (limits[0]?.delayMs ?? 0);
    drawn.push({ column: Math.floor(proceedsMs / columnMs), admitted });
  }
  return drawn;
}

function evenly(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / count);
}
