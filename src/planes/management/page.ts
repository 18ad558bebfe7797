import { type Static, type TProperties, Type } from '@fastify/type-provider-typebox';
import type { TSchema } from 'typebox';

const PAGE_SIZE_MAX = 1000;

const PAGED = {
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: 'the next of a page' })),
  limit: Type.Optional(
    Type.String({
      pattern: `^([1-9][0-9]{0,2}|${PAGE_SIZE_MAX})$`,
      description: `a whole number from 1 to ${PAGE_SIZE_MAX}`,
    }),
  ),
};

/** Of a query everything is text. */
export const PageQuery = Type.Object(PAGED, { additionalProperties: false });

/** As PageQuery, for things that have names. */
export const NamedPageQuery = Type.Object(
  { ...PAGED, name: Type.Optional(Type.String({ maxLength: 256, description: 'the beginning of a name' })) },
  { additionalProperties: false },
);

/** More members of a query beside those of a page. */
export function pageQueryWith<Members extends TProperties>(members: Members) {
  return Type.Object({ ...PAGED, ...members }, { additionalProperties: false });
}

/** What a list of these is answered with. */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    next: Type.Union([Type.String({ description: '`after` for the next page' }), Type.Null()]),
  });
}

export function pageSizeOf({ limit }: Static<typeof PageQuery>): number {
  return limit === undefined ? PAGE_SIZE_MAX : Number(limit);
}

/** Where an item stands in its list: unlike any other's, and compared by character. */
type PositionOf<Item> = (item: Item) => string;

export interface Page<Item> {
  readonly items: Item[];
  readonly next: string | null;
}

/** A page of a list that is short enough to be read as a whole, in the order of positions. */
export function pageOf<Item>(
  all: readonly Item[],
  query: Static<typeof PageQuery>,
  positionOf: PositionOf<Item>,
): Page<Item> {
  const after = query.after === undefined ? undefined : Buffer.from(query.after, 'base64url').toString();
  const behind = all
    .map((item) => ({ item, position: positionOf(item) }))
    .filter(({ position }) => after === undefined || position > after)
    .sort((a, b) => (a.position < b.position ? -1 : 1));
  const page = behind.slice(0, pageSizeOf(query));
  const last = page.at(-1);
  const isLast = last === undefined || page.length === behind.length;
  return {
    items: page.map(({ item }) => item),
    next: isLast ? null : Buffer.from(last.position).toString('base64url'),
  };
}

/** As pageOf, by name, and only of those whose name begins as asked for. */
export function namedPageOf<Item>(
  all: readonly Item[],
  query: Static<typeof NamedPageQuery>,
  nameOf: (item: Item) => string,
): Page<Item> {
  const { name = '' } = query;
  return pageOf(
    all.filter((item) => nameOf(item).startsWith(name)),
    query,
    nameOf,
  );
}

/** Later than any moment, in epoch milliseconds. */
const END_OF_TIME_MS = 8_640_000_000_000_001;

/** As byAge, the newest first. */
export function byRecency({ createdAtMs, id }: Parameters<typeof byAge>[0]): string {
  return byAge({ createdAtMs: END_OF_TIME_MS - createdAtMs, id });
}

/** For what has a time and an id: the oldest first. */
export function byAge({ createdAtMs, id }: { readonly createdAtMs: number; readonly id: string }): string {
  return `${String(createdAtMs).padStart(16, '0')} ${id}`;
}
