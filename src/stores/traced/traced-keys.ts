import type { SpanMaker } from '../../telemetry/tracing/tracing.ts';
import type { KeyDirectory } from '../../tenancy/api-key.ts';

/** For what stands behind the cache: a span says that a key was not in it, and how long that took. */
export function tracedKeys(keys: KeyDirectory, spans: SpanMaker): KeyDirectory {
  return { find: (sha256) => spans.within('keys find', {}, () => keys.find(sha256)) };
}
