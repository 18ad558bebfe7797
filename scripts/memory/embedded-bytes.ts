import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../../src/limiter/clock.ts';
import { EmbeddedCounters } from '../../src/stores/embedded/embedded-counters.ts';
import { endlessSet, newKey, type Subject } from './subjects.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export interface EmbeddedBytes {
  readonly bytesEach: number;
  /** What is used above the baseline once everything has ended. */
  readonly left: number;
}

/** Fills a table in this process under a clock of its own, ends every window, and lets it sweep itself. */
export async function measureEmbedded(subject: Subject, lifeMs: number): Promise<EmbeddedBytes> {
  let nowMs = Date.now();
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const counters = new EmbeddedCounters({ clock, identifiersMax: subject.identifiers + 1 });
  const set = subject.setAt(nowMs, lifeMs);
  const baseline = usedBytes();
  for (let done = 0; done < subject.identifiers; done++) {
    const key = newKey();
    for (let time = 0; time < subject.checksEach; time++) await counters.check(subject.check(key, set));
  }
  const bytesEach = (usedBytes() - baseline) / subject.identifiers;
  nowMs += 24 * 3600 * 1000;
  // Each write sweeps two entries.
  const working = endlessSet();
  const key = newKey();
  while (counters.size > 1) await counters.check({ key, set: working, cost: 1, peek: false });
  const left = usedBytes() - baseline;
  await counters.close();
  return { bytesEach, left };
}

function usedBytes(): number {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
