import { setImmediate, setTimeout } from 'node:timers/promises';
import type { StoredEntry } from './stored-entry.ts';

/** So long at most is the event loop held for encoding, and so long it is then free for checks. */
const SLICE_MS = 1;
const PAUSE_MS = 4;

/** Looking at the time costs as much as a small entry. */
const ENTRIES_BETWEEN_LOOKS = 16;

export interface Slice {
  readonly entryCount: number;
  /** A list of stored entries, as JSON. */
  readonly entries: string;
}

/**
 * Encodes entries a slice at a time, so that checks are answered in between. In a hurry there are no
 * pauses, only turns.
 */
export async function* slicesOf(
  stored: Iterable<StoredEntry>,
  { isHurried }: { readonly isHurried: boolean },
): AsyncGenerator<Slice> {
  let texts: string[] = [];
  let untilMs = performance.now() + SLICE_MS;
  for (const entry of stored) {
    texts.push(JSON.stringify(entry));
    if (texts.length % ENTRIES_BETWEEN_LOOKS !== 0 || performance.now() < untilMs) continue;
    yield sliceOf(texts);
    texts = [];
    await (isHurried ? setImmediate() : setTimeout(PAUSE_MS));
    untilMs = performance.now() + SLICE_MS;
  }
  if (texts.length > 0) yield sliceOf(texts);
}

function sliceOf(texts: readonly string[]): Slice {
  return { entryCount: texts.length, entries: `[${texts.join(',')}]` };
}
