import { OperationError } from '../operation-error.ts';
import type { Fault } from './fault.ts';
import { runCommand } from './run-command.ts';

/** By whom a fault is brought about that Brume can't bring about by itself. */
export interface Hands {
  /** A shell command; undefined: somebody is asked to. */
  readonly begin?: string | undefined;
  /** The same; undefined though `begin` is given: nothing is to be undone. */
  readonly end?: string | undefined;
  /** Resolves when somebody says that it is done. */
  readonly ask: (what: string, signal: AbortSignal) => Promise<void>;
}

/** Something is taken away, and brought back. */
export function byHand(what: { begin: string; end: string }, { begin, end, ask }: Hands): Fault {
  let isBegun = false;
  let isEndUnanswered = false;
  /** Who was asked, and interrupted that, is not asked the same once more. */
  const askForEnd = async (signal: AbortSignal) => {
    if (isEndUnanswered) throw new OperationError('Nobody said that it was done.');
    isEndUnanswered = true;
    await ask(`${what.end}, then press Enter`, signal);
  };
  return {
    announcement:
      begin === undefined
        ? `You are asked to do this, and to undo it later: ${what.begin}.`
        : `These commands are run: ${begin}${end === undefined ? '' : `; later: ${end}`}`,
    isOverBySelf: false,
    remedy: end ?? what.end,
    begin: async (_own, signal) => {
      // Whoever is interrupted here may have done it, or half of it.
      isBegun = true;
      if (begin === undefined) await ask(`${what.begin}, then press Enter`, signal);
      else await runCommand(begin, signal);
      return begin ?? what.begin;
    },
    end: async (signal) => {
      if (!isBegun) return;
      if (end !== undefined) await runCommand(end, signal);
      else if (begin === undefined) await askForEnd(signal);
      isBegun = false;
    },
  };
}
