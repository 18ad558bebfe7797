import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Noted, testimony } from './testimony.ts';

const RATE = 10;
const BEGAN_MS = 1000;

/** Ten a second for three seconds, each answered after 5 ms; `came` says what came of those due from when on. */
function load(came: (dueMs: number) => string): Noted[] {
  return Array.from({ length: 3 * RATE }, (_, check) => {
    const dueMs = (check * 1000) / RATE;
    const identifier = `caller-${Math.floor(check / RATE)}`;
    return {
      dueMs,
      sentMs: dueMs,
      endMs: dueMs + 5,
      node: 'one',
      identifier,
      came: came(dueMs),
      isAdmitted: true,
    };
  });
}

function said(noted: readonly Noted[], limit = RATE, toMs = 3000) {
  return testimony(noted, { beganMs: BEGAN_MS, fromMs: 0, toMs, rate: RATE, limit });
}

describe('what a witness of a drill can say', () => {
  it('when the first check was not counted, and when the first was again', () => {
    const { detectedMs, recoveredMs, degradedSeconds } = said(
      load((dueMs) => (dueMs >= 1200 && dueMs < 1900 ? 'degraded' : 'counted')),
    );
    deepEqual([detectedMs, recoveredMs, degradedSeconds], [205, 900, 0.7]);
  });

  it('that nothing was noticed', () => {
    const { detectedMs, recoveredMs, degradedSeconds, lostSeconds } = said(load(() => 'counted'));
    deepEqual([detectedMs, recoveredMs, degradedSeconds, lostSeconds], [null, null, 0, 0]);
  });

  it('how much was lost, and why', () => {
    const { lostSeconds, lostBy } = said(load((dueMs) => (dueMs >= 2500 ? '503' : 'counted')));
    deepEqual([lostSeconds, lostBy], [0.5, ['503']]);
  });

  it('how much the counters admitted beyond the limits, those of the policy left out', () => {
    deepEqual(
      said(
        load(() => 'counted'),
        7,
      ).aboveLimitSeconds,
      0.9,
    );
    deepEqual(
      said(
        load(() => 'degraded'),
        7,
      ).aboveLimitSeconds,
      0,
    );
  });

  it('how late it was itself', () => {
    const late = load(() => 'counted').map((each, check) =>
      check === 7 ? { ...each, sentMs: each.dueMs + 40 } : each,
    );
    deepEqual(said(late).heldUpMs, 40);
  });

  it('nothing of what was due after the drill had ended', () => {
    const noted = load((dueMs) => (dueMs >= 2500 ? 'reset' : 'counted'));
    deepEqual(said(noted, RATE, 2500).detectedMs, null);
  });
});
