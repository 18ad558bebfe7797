import type { Command } from 'commander';
import { ApiError } from '../client/api-error.ts';
import type { Expected } from '../client/if-match.ts';
import { wholeNumber } from './arguments.ts';
import type { AdminOptions } from './session.ts';

export interface ExpectOptions extends AdminOptions {
  readonly expect?: number;
}

/** So often something is read and changed anew because somebody else has changed it meanwhile. */
const ATTEMPTS_MAX = 3;

/** Adds --expect. */
export function withExpect(command: Command): Command {
  return command.option('--expect <version>', 'refuse if it has another version by now', wholeNumber);
}

/** The version that a write is for, if one was said. */
export function expectedBy({ expect }: ExpectOptions): Expected {
  return { expectedVersion: expect };
}

/**
 * Changes a part of what is there, so that what somebody else has changed in between isn't undone:
 * then it is read and changed anew, unless --expect says that only this version will do.
 */
export async function changeRead<Thing extends { readonly version: number }, Result>(
  { expect }: ExpectOptions,
  read: () => Promise<Thing>,
  write: (thing: Thing, expected: Expected) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const thing = await read();
    try {
      return await write(thing, { expectedVersion: expect ?? thing.version });
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.code === 'precondition_failed';
      if (!isOvertaken || expect !== undefined || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}
