import type { CheckpointStore, Cursor, RestorableCounters } from './quota-checkpoint.ts';

/** So few at a time that the checks beside them don't wait. */
const PAGE_MAX = 256;

/** The counters judge by their own clock which periods hold; this leaves out what ended long ago. */
const CLOCKS_APART_MS_MAX = 3_600_000;

/** A page that fails is tried again, with longer and longer pauses, for a few seconds. */
const ATTEMPTS_MAX = 6;
const RETRY_MS = 100;

export interface RestoreOptions {
  readonly store: CheckpointStore;
  readonly counters: Pick<RestorableCounters, 'restore'>;
  readonly nowMs: number;
  readonly pause: (ms: number) => Promise<void>;
  /** Between two pages. */
  readonly pauseMs: number;
  /** Asked before each page: it throws where there is no use in going on. */
  readonly assertWanted: () => void;
}

export interface Restored {
  readonly checkpoints: number;
  /** Those that the counters had less of. */
  readonly raised: number;
}

/** Gives the counters all checkpoints, page by page. Rejects with what the last attempt at a page failed with. */
export async function restoreAll(options: RestoreOptions): Promise<Restored> {
  let after: Cursor = { key: '', name: '' };
  let [checkpoints, raised] = [0, 0];
  for (;;) {
    const page = await patiently(options, () => restorePage(options, after));
    checkpoints += page.count;
    raised += page.raised;
    if (page.last === undefined) return { checkpoints, raised };
    after = page.last;
    if (options.pauseMs > 0) await options.pause(options.pauseMs);
  }
}

async function restorePage({ store, counters, nowMs }: RestoreOptions, after: Cursor) {
  let raised = 0;
  const page = { after, endingAfterMs: nowMs - CLOCKS_APART_MS_MAX, limit: PAGE_MAX };
  const restored = await store.restorePage(page, async (checkpoints) => {
    raised = await counters.restore(checkpoints);
  });
  return { raised, count: restored.length, last: restored.length < PAGE_MAX ? undefined : restored.at(-1) };
}

async function patiently<Result>(
  { pause, assertWanted }: RestoreOptions,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let failed = 0; ; ) {
    assertWanted();
    try {
      return await attempt();
    } catch (error) {
      failed++;
      if (failed >= ATTEMPTS_MAX) throw error;
      await pause(RETRY_MS * 2 ** (failed - 1));
    }
  }
}
