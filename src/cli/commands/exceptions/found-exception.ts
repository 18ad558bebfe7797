import type { ApiClient } from '../../../client/api-client.ts';
import { ApiError } from '../../../client/api-error.ts';
import type { Exception, ExceptionPlace } from '../../../client/exceptions.ts';
import type { ExceptionWords } from './exception-words.ts';
import { namingFlags } from './naming-flags.ts';

/** The one of exactly this match, in any spelling. Rejects with `unknown_exception`. */
export async function foundException(
  client: ApiClient,
  place: ExceptionPlace,
  match: string,
  { noun, group }: Pick<ExceptionWords, 'noun' | 'group'>,
): Promise<Exception> {
  const { items } = await namingFlags(client.exceptions.list(place, { match }));
  const [found] = items;
  if (found !== undefined) return found;
  const { project, namespace } = place;
  const detail = `There is no ${noun} of ${match} in ${namespace} of ${project}. Look with: brume ${group} list ${namespace}`;
  throw new ApiError({ status: 404, code: 'unknown_exception', title: detail });
}
