/** In characters, as a person counts them: code points. */
const PASSWORD_LENGTH_MIN = 12;
const PASSWORD_LENGTH_MAX = 256;
/** Room for the longest password in UTF-16, before it is looked at. */
export const PASSWORD_UNITS_MAX = 2 * PASSWORD_LENGTH_MAX;

/**
 * What is wrong with a new password, as the end of a sentence that begins with it; undefined if
 * nothing is. Only its length counts (NIST SP 800-63B): rules of composition make passwords worse.
 */
export function passwordFault(password: string): string | undefined {
  if (!password.isWellFormed()) return 'is not valid Unicode';
  const length = [...canonicalPassword(password)].length;
  return length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX
    ? `must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`
    : undefined;
}

/** One spelling for what looks the same and was typed on different keyboards (RFC 8265, OpaqueString). */
export function canonicalPassword(password: string): string {
  return password.normalize('NFC');
}
