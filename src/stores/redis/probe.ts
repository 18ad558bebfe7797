import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { loadProbeScript } from './check-script.ts';
import { reactionTo } from './fault-reactions.ts';
import { inTime } from './in-time.ts';
import type { Attempt } from './script-caller.ts';
import { ScriptSender } from './script-sender.ts';

export interface ProbeOptions {
  /** One that the server has, and nothing else. */
  readonly key: () => string;
  /** As long as a check waits for an answer. */
  readonly timeoutMs: number;
  /** Whoever says that another server has the key is as good. */
  readonly mayBeReplica: boolean;
}

/** What the script writes it removes again. */
const TTL_MS = '1000';
/** So long after an answer that came too late the next one is asked for. */
const AGAIN_MS = 50;

const LATE = new Error('the probe was answered too late for a check');

/**
 * Does in a server what a check does (lua/probe.lua). A server can answer PING, TIME and INFO while it holds
 * or refuses all that may write, and be no good to count in.
 */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #script = loadProbeScript();

  constructor(options: ProbeOptions) {
    this.#options = options;
  }

  /**
   * Of a new connection: resolves once an answer comes as soon as a check needs it, with the refusal if it is
   * one that costs a check no waiting. One is asked for at a time, and what comes too late is told. Rejects where
   * the connection is no good.
   */
  async pass(client: Redis, tell: (why: Error) => void = () => undefined): Promise<Error | undefined> {
    const { timeoutMs } = this.#options;
    const sender = new ScriptSender(client, () => undefined);
    for (;;) {
      const askedMs = performance.now();
      const answer = this.#ask(sender);
      try {
        return await inTime(answer, timeoutMs, LATE);
      } catch (error) {
        if (error !== LATE) throw error;
      }
      await answer;
      const tookMs = Math.ceil(performance.now() - askedMs);
      tell(new Error(`it answers in ${tookMs} ms, and BRUME_REDIS_TIMEOUT_MS is ${timeoutMs}`));
      await delay(AGAIN_MS, undefined, { ref: false });
    }
  }

  /** In a call of its own; rejects with whatever the server answers. */
  async send({ evaluate }: Attempt): Promise<void> {
    await evaluate(this.#script, [this.#options.key()], [TTL_MS]);
  }

  async #ask(sender: ScriptSender): Promise<Error | undefined> {
    try {
      await sender.send(this.#script, { keys: [this.#options.key()], args: [TTL_MS], isAsking: false });
      return undefined;
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
      const { link } = reactionTo(error.message);
      if (link === 'reconnect') throw error;
      return link === 'follow' && this.#options.mayBeReplica ? undefined : error;
    }
  }
}
