/** Time as the embedded store and the node see it. Injected, so that tests own it. */
export interface Clock {
  /** Epoch milliseconds; may step in either direction. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
