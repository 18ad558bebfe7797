import { STEP_MS } from '../../tenancy/usage.ts';

/** What was counted of one namespace and key within one hour. */
export interface UsageTally {
  readonly projectId: string;
  readonly namespace: string;
  /** Empty: asked without a key, on the management plane. */
  readonly keyId: string;
  /** Epoch milliseconds of the hour's start. */
  readonly hourMs: number;
  allowed: number;
  denied: number;
  degraded: number;
  /** At most 2^53-1. */
  cost: number;
}

export function hourOf(epochMs: number): number {
  return epochMs - (epochMs % STEP_MS.hour);
}
