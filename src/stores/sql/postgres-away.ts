import { BrumeError } from '../../errors/catalogue.ts';

/**
 * By the classes of SQLSTATE: connection, no login (a password that is being changed), no such database
 * (one that is being restored), out of resources, the operator intervened, system faults; and a standby
 * that is not promoted yet.
 */
const AWAY = /^(08|28|3D|53|57|58|XX|25006$)/;

/** PostgreSQL can't be used now, for a reason that may pass, and not for something that it is asked. */
export function isPostgresAway(error: unknown): boolean {
  if (!(error instanceof BrumeError) || error.code !== 'store_unavailable') return false;
  const { cause } = error;
  // Its own errors have a severity; all others are of the connection.
  if (!(cause instanceof Error && 'severity' in cause && 'code' in cause)) return true;
  return AWAY.test(String(cause.code));
}
