import { callApi, TIMEOUT_MS } from './call-api.ts';
import type { BatchAnswer, Check, Counted, Verdict } from './resources.ts';
import type { Target } from './target.ts';

/**
 * The calls of the data plane as methods, for a program that has an API key. A denial is a verdict,
 * not an error. Each rejects with an ApiError if Brume refuses, and with a ConnectionError if it can't
 * be reached or does not answer in time. Nothing is sent twice; a check with a requestId may be.
 */
export class LimitClient {
  readonly #target: Target;
  readonly #timeoutMs: number;

  constructor(target: Target, { key, timeoutMs = TIMEOUT_MS }: { key: string; timeoutMs?: number }) {
    this.#target = { ...target, headers: { ...target.headers, 'x-api-key': key } };
    this.#timeoutMs = timeoutMs;
  }

  /** Checks and consumes. */
  limit(check: Check): Promise<Verdict> {
    return this.#post('/v1/limit', check);
  }

  /** The same verdict, consuming nothing. */
  peek(check: Check): Promise<Verdict> {
    return this.#post('/v1/peek', check);
  }

  /** Up to 1,000 checks, each for itself; with `atomic` up to 100, of which all consume or none. */
  limitBatch(checks: readonly Check[], { atomic = false } = {}): Promise<BatchAnswer> {
    return this.#post('/v1/limit/batch', { checks, atomic });
  }

  /** Forgets what an identifier used, and its request ids. */
  async reset(counted: Counted): Promise<void> {
    await this.#post('/v1/reset', counted);
  }

  #post<T>(path: string, body: unknown): Promise<T> {
    return callApi(this.#target, { method: 'POST', path, body }, this.#timeoutMs);
  }
}
