import { messageOf } from '../../errors/message-of.ts';

interface Step {
  readonly remedy: string;
  readonly undo: (signal: AbortSignal) => Promise<unknown>;
}

/** What is to be undone when a drill is over, however it ends. */
export class Undoing {
  readonly #steps: Step[] = [];

  /** Remembers how what is done next is undone; `remedy` is what somebody has to do if that fails. */
  add(remedy: string, undo: Step['undo']): void {
    this.#steps.push({ remedy, undo });
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  /**
   * Undoes all of it, what was done last first. Gives what could not be undone, and what to do about it. Each step is
   * given up once its signal is aborted; those behind it are done all the same.
   */
  async all(giveUp: () => AbortSignal): Promise<string[]> {
    const left: string[] = [];
    for (const { remedy, undo } of this.#steps.splice(0).reverse()) {
      try {
        await undo(giveUp());
      } catch (error) {
        left.push(withRemedy(messageOf(error), remedy));
      }
    }
    return left;
  }
}

/** A command is no sentence, and what stands behind it would be taken for a part of it. */
function withRemedy(message: string, remedy: string): string {
  return /[.!?]$/.test(message)
    ? `${message} To undo it by hand: ${remedy}`
    : `${message} (to undo it by hand: ${remedy})`;
}
