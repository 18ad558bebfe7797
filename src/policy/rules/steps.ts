/** Work in steps, after each of which others may have their turn; its result at the end. */
export type Steps<Result> = Generator<undefined, Result>;

/** All steps at once. */
export function result<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As `map` of a list that may be very long. */
export function* mapping<Item, Result>(items: Iterable<Item>, make: (item: Item) => Result): Steps<Result[]> {
  const made: Result[] = [];
  for (const item of items) {
    yield;
    made.push(make(item));
  }
  return made;
}

/** So long others wait at most, and a step more. */
const TURN_MS = 10;

/** In turns, between which the event loop does what else there is to do. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const endsMs = performance.now() + TURN_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < endsMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
