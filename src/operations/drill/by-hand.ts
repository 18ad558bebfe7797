import { spawn } from 'node:child_process';
import { OperationError } from '../operation-error.ts';
import type { Fault } from './fault.ts';

/** By whom a fault is brought about that Brume can't bring about by itself. */
export interface Hands {
  /** A shell command; undefined: somebody is asked to. */
  readonly begin?: string | undefined;
  readonly end?: string | undefined;
  /** Resolves when somebody says that it is done. */
  readonly ask: (what: string) => Promise<void>;
}

/** Something is taken away, and brought back. */
export function byHand(what: { begin: string; end: string }, { begin, end, ask }: Hands): Fault {
  let isBegun = false;
  return {
    announcement:
      begin === undefined
        ? `You are asked to do this, and to undo it later: ${what.begin}.`
        : `These commands are run: ${begin}${end === undefined ? '' : `; later: ${end}`}`,
    isOverBySelf: false,
    begin: async () => {
      isBegun = true;
      if (begin === undefined) await ask(`${what.begin}, then press Enter`);
      else await run(begin);
      return begin ?? what.begin;
    },
    end: async () => {
      if (!isBegun) return;
      if (end !== undefined) await run(end);
      else if (begin === undefined) await ask(`${what.end}, then press Enter`);
      isBegun = false;
    },
  };
}

/** Its output is shown. Rejects with an OperationError unless it ends with 0. */
function run(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 2, 2] });
    child.once('error', (error) => reject(new OperationError(`${command}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new OperationError(`It ended with ${signal ?? code}: ${command}`));
    });
  });
}
