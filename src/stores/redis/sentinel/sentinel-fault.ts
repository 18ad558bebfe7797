/** Why what was asked tells nothing of the master, to stand behind its place: `is no Sentinel`. */
export function sentinelFault(error: unknown, masterName: string): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (/^ERR No such master/i.test(message)) return `knows no master named ${masterName}`;
  // What a Redis says that is none.
  if (/^ERR unknown command\b.*sentinel/i.test(message)) return 'is no Sentinel';
  // It answered: a right or a password is missing, or its answer is none.
  if (name === 'ReplyError' || error instanceof RangeError) return `gives no answer of use: ${message}`;
  return `is away: ${message}`;
}
