import type { Redis } from 'ioredis';
import { reactionTo } from './fault-reactions.ts';
import type { Script } from './script.ts';

export interface Evaluation {
  readonly keys: readonly string[];
  readonly args: readonly string[];
  readonly isAsking: boolean;
}

/** Sends scripts over one connection by their names, and their text to a server that doesn't know them. */
export class ScriptSender {
  readonly #redis: Redis;
  readonly #onUnknown: (error: Error) => void;
  /** How often the text of a script was sent, by its name. */
  readonly #texts = new Map<string, number>();

  constructor(redis: Redis, onUnknown: (error: Error) => void) {
    this.#redis = redis;
    this.#onUnknown = onUnknown;
  }

  /**
   * A server that doesn't know the script has run nothing: only then is it sent again, to the same one. Of
   * several calls that were under way when the scripts went, the first sends the text and the others come
   * behind it with the name: a server takes what comes on one connection in its order.
   */
  async send(script: Script, evaluation: Evaluation): Promise<unknown> {
    const textsBefore = this.#textsOf(script);
    try {
      return await this.#byName(script, evaluation);
    } catch (error) {
      if (!this.#isUnknown(error)) throw error;
    }
    if (this.#textsOf(script) === textsBefore) return this.#byText(script, evaluation);
    try {
      return await this.#byName(script, evaluation);
    } catch (error) {
      if (!this.#isUnknown(error)) throw error;
    }
    return this.#byText(script, evaluation);
  }

  #byName({ sha1 }: Script, { keys, args, isAsking }: Evaluation): Promise<unknown> {
    if (isAsking) this.#ask();
    return this.#redis.evalsha(sha1, keys.length, ...keys, ...args);
  }

  #byText(script: Script, { keys, args, isAsking }: Evaluation): Promise<unknown> {
    this.#texts.set(script.sha1, this.#textsOf(script) + 1);
    if (isAsking) this.#ask();
    return this.#redis.eval(script.text, keys.length, ...keys, ...args);
  }

  /** It holds for the one command behind it: nothing comes between two that are sent in one turn. */
  #ask(): void {
    this.#redis.asking().catch(() => undefined);
  }

  #textsOf({ sha1 }: Script): number {
    return this.#texts.get(sha1) ?? 0;
  }

  #isUnknown(error: unknown): boolean {
    if (!(error instanceof Error) || reactionTo(error.message).link !== 'load') return false;
    this.#onUnknown(error);
    return true;
  }
}
