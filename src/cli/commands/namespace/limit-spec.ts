import type { Limit } from '../../../client/resources.ts';
import { CONCURRENCY_WORD } from '../../../policy/rule-words.ts';
import { present, Spec } from './spec.ts';

const MEMBERS = ['name', 'algorithm', 'limit', 'window', 'ttl', 'burst', 'mode'];
export const DEFAULT_ALGORITHM = 'fixed_window';

/** `name=hourly,limit=1000,window=1h` as a limit. */
export function parseLimitSpec(text: string): Limit & { name: string } {
  const spec = new Spec('--add', text, MEMBERS);
  const name = spec.required('name');
  const limit = spec.requiredNumber('limit');
  const algorithm = spec.get('algorithm') ?? DEFAULT_ALGORITHM;
  spec.required(algorithm === CONCURRENCY_WORD ? 'ttl' : 'window');
  const spans = { windowMs: spec.durationMs('window'), ttlMs: spec.durationMs('ttl') };
  const optional = { burst: spec.wholeNumber('burst'), mode: spec.get('mode') };
  return { name, algorithm, limit, ...present({ ...spans, ...optional }) };
}
