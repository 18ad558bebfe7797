import type { BrumeProcess } from '../support/brume-process.ts';

interface Answer {
  readonly status: number;
  readonly success?: boolean;
  readonly reason?: string | null;
  readonly remaining?: number;
  readonly limit?: number;
}

/** Asks as an application does. */
export async function check(
  brume: BrumeProcess,
  key: string,
  namespace: string,
  identifier: string,
): Promise<Answer> {
  const response = await fetch(`${brume.url}/v1/limit`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ namespace, identifier }),
  });
  return { ...((await response.json()) as object), status: response.status };
}

interface ReadyState {
  readonly httpStatus: number;
  readonly status: string;
  readonly stores: { readonly configuration: string };
  readonly snapshot: { readonly revision: number; readonly source: string };
}

export async function ready(brume: BrumeProcess): Promise<ReadyState> {
  const response = await fetch(`${brume.url}/ready`);
  return { ...((await response.json()) as ReadyState), httpStatus: response.status };
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
