import { apiErrorOf } from './api-error.ts';
import { exchange } from './exchange.ts';
import type { Target } from './target.ts';

/** The metrics of a node in the text format of Prometheus. Rejects with an ApiError or a ConnectionError. */
export async function readMetrics(target: Target, timeoutMs: number): Promise<string> {
  const { status, body, text } = await exchange(
    target,
    { method: 'GET', path: '/metrics', headers: { accept: 'text/plain' } },
    timeoutMs,
  );
  if (status !== 200) throw apiErrorOf(status, body);
  return text;
}
