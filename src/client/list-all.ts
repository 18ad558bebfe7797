import type { Request } from './exchange.ts';

/** One call of the API, by the client that makes it. */
export type Call = <T>(method: Request['method'], url: string, body?: unknown) => Promise<T>;

/** Everything in a list, page after page. `url` has no query. */
export async function listAll<T>(call: Call, url: string): Promise<T[]> {
  const all: T[] = [];
  let after: string | undefined;
  do {
    const query = after === undefined ? '' : `?${new URLSearchParams({ after })}`;
    const page = await call<{ items: T[]; next?: string | null }>('GET', url + query);
    all.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return all;
}
