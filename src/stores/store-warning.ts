/** What is wrong with a store that can be used. */
export interface StoreWarning {
  /** For programs, such as `eviction_policy`. */
  readonly code: string;
  /** A sentence, with what to do. */
  readonly text: string;
}
