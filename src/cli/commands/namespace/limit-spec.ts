import type { Limit } from '../../../client/resources.ts';
import { DURATION_EXPECTED, parseDurationMs } from '../../duration.ts';
import { present, Spec } from './spec.ts';

const MEMBERS = ['name', 'algorithm', 'limit', 'window', 'burst', 'mode'];
export const DEFAULT_ALGORITHM = 'fixed_window';

/** `name=hourly,limit=1000,window=1h` as a limit. */
export function parseLimitSpec(text: string): Limit & { name: string } {
  const spec = new Spec('--add', text, MEMBERS);
  const name = spec.required('name');
  const limit = spec.requiredNumber('limit');
  const windowMs = parseDurationMs(spec.required('window'));
  if (windowMs === undefined) throw spec.fault(`window is not a duration. ${DURATION_EXPECTED}`);
  const algorithm = spec.get('algorithm') ?? DEFAULT_ALGORITHM;
  const optional = { burst: spec.wholeNumber('burst'), mode: spec.get('mode') };
  return { name, algorithm, limit, windowMs, ...present(optional) };
}
