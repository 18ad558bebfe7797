import { isAnswerTo } from './answer-shapes.ts';
import { apiErrorOf } from './api-error.ts';
import { exchange, type Request } from './exchange.ts';
import type { Target } from './target.ts';

export const TIMEOUT_MS = 30_000;

/**
 * One call of Brume's API. Rejects with an ApiError if Brume refuses, and with a ConnectionError if it
 * can't be reached or does not answer in time. Nothing is sent twice.
 */
export async function callApi<T>(target: Target, request: Request, timeoutMs: number): Promise<T> {
  const answer = await exchange(target, request, timeoutMs);
  const isDone = answer.status >= 200 && answer.status < 300;
  const isJson = answer.text === '' || answer.body !== undefined;
  if (!isDone || !isJson || !isAnswerTo(request, answer.body))
    throw apiErrorOf(answer.status, isDone ? undefined : answer.body, target);
  return answer.body as T;
}

/** A path whose inserted parts are encoded, so that no name can reach another route. */
export function path(fixed: TemplateStringsArray, ...parts: string[]): string {
  return String.raw({ raw: fixed }, ...parts.map((part) => encodeURIComponent(part)));
}
