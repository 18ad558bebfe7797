import type { BrumeProcess } from '../../support/brume-process.ts';
import { call } from '../../support/http-call.ts';

export interface DataAnswer {
  readonly status: number;
  /** Undefined if there is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** One call of the data plane, on a connection of its own: one that is kept would hold up the end of Brume. */
export async function dataCall(
  { url }: Pick<BrumeProcess, 'url'>,
  key: string,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<DataAnswer> {
  const { status, body: text } = await call(`${url}/v1/${path}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status, body: text === '' ? undefined : JSON.parse(text) };
}
