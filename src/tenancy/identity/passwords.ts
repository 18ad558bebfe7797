/**
 * The port to the hashing of passwords. Both methods reject with BrumeError `throttled_sign_in` while
 * too many hashes wait to be computed.
 */
export interface Passwords {
  /** As it is stored. */
  hash(password: string): Promise<string>;
  /**
   * Against what is stored; null, where nothing is, takes as long and never matches.
   * Rejects if what is stored is no hash.
   */
  verify(password: string, stored: string | null): Promise<PasswordMatch>;
}

export interface PasswordMatch {
  readonly isMatch: boolean;
  /** It was hashed with less effort than today's: to be stored anew. */
  readonly isOutdated: boolean;
}
