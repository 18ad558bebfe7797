/** Whether a check would be counted now, and if not, why. */
export interface CountersCondition {
  /**
   * `partly_available`: some parts of the store count, others don't. `full`: it has no room to count anything
   * more. `read_only`: it answers, and refuses what is written.
   */
  readonly state: 'available' | 'partly_available' | 'full' | 'read_only' | 'unavailable';
  /** What the store shows, by a name of its own; absent: nothing is the matter. */
  readonly fault?: string;
  /** Of a cluster the slots in which nothing is counted now, as `0-5460`; absent: there are none. */
  readonly slotsAway?: readonly string[];
}
