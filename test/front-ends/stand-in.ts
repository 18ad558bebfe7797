import type { HttpAnswer } from '../support/http-call.ts';
import type { EndUserRequest } from './end-user.ts';

/** A proxy that is played: it asks the real Brume, and has no application behind it. */
export interface StandIn {
  pass(request: EndUserRequest): Promise<EndUserView>;
}

/** What the end user sees. */
export interface EndUserView {
  /** Whether the application gets the request; `status` and `headers` are then what is added to its 200. */
  readonly isPassed: boolean;
  readonly status: number;
  /** Of the check's answer those that the proxy hands on. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer to a check; undefined if there was none in time. */
export async function inTime(check: Promise<HttpAnswer>, timeoutMs: number): Promise<HttpAnswer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([check.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

export function shownHeaders(
  { headers }: HttpAnswer,
  isShown: (name: string) => boolean,
): Readonly<Record<string, string>> {
  const shown = Object.entries(headers).filter(([name]) => isShown(name));
  return Object.fromEntries(shown.map(([name, value]) => [name, String(value)]));
}
