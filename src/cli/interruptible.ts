import { Interruption, type StopSignal } from './interruption.ts';

/** What somebody who ends a command wants, the first time and after that. */
export interface Interruptions {
  /** Aborted by the first signal, with an Interruption: what was done is to be undone. */
  readonly signal: AbortSignal;
  /** Gives what is aborted by a later one that comes from now on: nobody waits for what is done just then. */
  readonly giveUp: () => AbortSignal;
}

const STOPS: readonly StopSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];
/** What comes sooner is the same wish: a terminal that closes, and timeout(1), say it twice. */
const AGAIN_MS = 1000;

/** Does work that Ctrl-C, TERM and the end of the terminal don't kill, but tell. */
export async function interruptible<Result>(
  work: (interruptions: Interruptions) => Promise<Result>,
): Promise<Result> {
  const interruption = new AbortController();
  let givingUp = new AbortController();
  let firstMs: number | undefined;
  const interrupt = (signal: StopSignal) => {
    firstMs ??= performance.now();
    interruption.abort(new Interruption(signal));
    // Whoever closes a terminal waits for nothing there, and wants it undone all the more.
    if (signal !== 'SIGHUP' && performance.now() - firstMs >= AGAIN_MS)
      givingUp.abort(new Interruption(signal));
  };
  for (const signal of STOPS) process.on(signal, interrupt);
  try {
    return await work({
      signal: interruption.signal,
      giveUp: () => {
        givingUp = new AbortController();
        return givingUp.signal;
      },
    });
  } catch (error) {
    throw interruption.signal.aborted ? interruption.signal.reason : error;
  } finally {
    for (const signal of STOPS) process.off(signal, interrupt);
  }
}
