import type { ApiClient } from '../../../client/api-client.ts';
import { ApiError } from '../../../client/api-error.ts';
import type { Exception, ExceptionPlace } from '../../../client/exceptions.ts';
import { named } from './exception-text.ts';

/** What whoever has just written an exception should hear: it does not hold for all whom it is for. */
export async function warningsOf(
  client: ApiClient,
  place: ExceptionPlace,
  added: Exception,
  nowMs: number,
): Promise<readonly string[]> {
  try {
    const { items, isWhole } = await client.exceptions.rivals(place, added.id);
    const warnings = items.map((rival) => warning(added, rival, nowMs));
    return isWhole ? warnings : [...warnings, 'There may be more that win over it; not all were looked at.'];
  } catch (error) {
    // It is written, which must not look like a failure.
    if (!(error instanceof ApiError)) throw error;
    return [`It could not be looked up whether others win over it: ${error.message}`];
  }
}

function warning(added: Exception, rival: Exception, nowMs: number): string {
  if (rival.match === added.match) return `It is without effect: ${named(rival, nowMs)} wins over it.`;
  return `${named(rival, nowMs)} wins over it where both match.`;
}
