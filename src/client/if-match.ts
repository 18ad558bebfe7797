import type { Request } from './exchange.ts';

/** For a write that is refused with `precondition_failed` if something has another version by now. */
export interface Expected {
  readonly expectedVersion?: number | undefined;
}

/** The header by which a write says so; none where any version will do. */
export function ifMatch({ expectedVersion }: Expected): Request['headers'] | undefined {
  return expectedVersion === undefined ? undefined : { 'if-match': `"${expectedVersion}"` };
}
