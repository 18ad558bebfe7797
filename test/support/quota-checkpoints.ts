import type { QuotaCheckpoint } from '../../src/stores/checkpoints/quota-checkpoint.ts';

/** A checkpoint with what is said, of a period from 1000 to 2000 seen in its middle. */
export function checkpointOf(given: Partial<QuotaCheckpoint> = {}): QuotaCheckpoint {
  return {
    key: 'alice',
    name: 'day',
    identity: 7,
    startMs: 1000,
    endMs: 2000,
    used: 1,
    observedMs: 1500,
    ...given,
  };
}
