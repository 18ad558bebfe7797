import type { BrumeProcess } from './brume-process.ts';
import { call } from './http-call.ts';

/** The parts of a verdict that tests ask for. */
export interface SeenVerdict {
  readonly status: number;
  readonly success?: boolean;
  readonly reason?: string | null;
  readonly limit?: number | null;
  readonly remaining?: number | null;
  readonly retryAfter?: number | null;
  readonly degraded?: boolean;
  readonly code?: string;
  readonly field?: string;
}

/** One `POST /v1/limit` on a real Brume. */
export async function limitCall(
  brume: Pick<BrumeProcess, 'url'>,
  key: string,
  check: { readonly namespace: string; readonly identifier?: string; readonly cost?: number },
): Promise<SeenVerdict> {
  const { status, body } = await call(`${brume.url}/v1/limit`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(check),
  });
  return { ...JSON.parse(body), status };
}
