import type { Request } from './exchange.ts';

/** One call of the API, by the client that makes it. */
export type Call = <T>(
  method: Request['method'],
  url: string,
  body?: unknown,
  headers?: Request['headers'],
) => Promise<T>;

/** What chooses from a list; what is undefined doesn't. */
export type Filter = Readonly<Record<string, string | number | undefined>>;

/** Everything in a list, page after page. `url` has no query. */
export async function listAll<T>(call: Call, url: string, filter: Filter = {}): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pagesOf<T>(call, url, filter)) all.push(...page);
  return all;
}

/** The pages of a list, one after the other. `url` has no query; a filter's `after` begins behind it. */
export async function* pagesOf<T>(
  call: Call,
  url: string,
  filter: Filter = {},
): AsyncGenerator<readonly T[], void, undefined> {
  let { after } = filter;
  do {
    const page = await call<{ items: T[]; next?: string | null }>('GET', url + queryOf({ ...filter, after }));
    yield page.items;
    after = page.next ?? undefined;
  } while (after !== undefined);
}

/** `?name=a&limit=10`; empty if nothing is said. */
export function queryOf(filter: Filter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
