import { BrumeError } from '../../errors/catalogue.ts';
import { selectOrganisationsOwnedAlone } from './members.ts';
import type { SqlTransaction } from './sql.ts';

/**
 * Rejects with `still_needed` if the user is the last owner of an organisation: of this one, or of any. Comes
 * behind the lock of changes, so that of two owners who leave at once one stays.
 */
export async function assertNotLastOwner(
  transaction: SqlTransaction,
  userId: string,
  organisation?: string,
): Promise<void> {
  const owned = await selectOrganisationsOwnedAlone(transaction, userId);
  const [name] = organisation === undefined ? owned : owned.filter((one) => one === organisation);
  if (name === undefined) return;
  const isOfAny = organisation === undefined;
  const detail = `The organisation ${name} would be left without an owner. Make somebody else an owner first${isOfAny ? onTheMachine(name) : ''}.`;
  throw new BrumeError('still_needed', { detail });
}

/** Whoever deletes a user need not belong to what the user owns. */
function onTheMachine(organisation: string): string {
  return `, or, if you are no owner of it, on the machine: sudo brume org add ${organisation} LOGIN --role owner`;
}
