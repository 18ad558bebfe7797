import type { Redis } from 'ioredis';
import { closeClient } from '../connection.ts';
import type { RedisEndpoint, RedisLogin } from '../redis-address.ts';
import { readyClient } from './ready-client.ts';
import { sentinelFault } from './sentinel-fault.ts';
import { type Selection, type SentinelView, selectionOf, sentinelViewOf } from './sentinel-view.ts';

/** A Sentinel that says nothing for so long is not heard until it does. */
const ANSWER_TIMEOUT_MS = 500;
/** After so many in a row without an answer its connection is given up, and with it what it would tell by itself. */
const UNANSWERED_MAX = 3;
const SWITCHED = '+switch-master';
/** Told by the one that leads the failover alone, some 100 ms before the promotion. */
const SELECTED = '+selected-slave';

export interface SentinelPeerOptions {
  readonly endpoint: RedisEndpoint;
  readonly masterName: string;
  readonly connect: (endpoint: RedisEndpoint) => Redis;
  /** By which it connects. */
  readonly login: RedisLogin;
  /** It said something, or failed to. */
  readonly onNews: (peer: SentinelPeer) => void;
  /** It told of a failover by itself; what it says now is asked for at once. */
  readonly onSwitch: () => void;
  /** It has chosen the replica that it is about to promote. */
  readonly onSelected: (peer: SentinelPeer, selection: Selection) => void;
}

/** One Sentinel: asked when told to, and listened to in between. */
export class SentinelPeer {
  readonly endpoint: RedisEndpoint;
  readonly #options: SentinelPeerOptions;
  #client: Redis | undefined;
  #isAsking = false;
  #isToAskAgain = false;
  #isListening = false;
  #unanswered = 0;
  #isClosed = false;
  /** It has answered once, so that the way to it is right. */
  #isKnown = false;
  /** Its own name; undefined until it has said so. */
  id: string | undefined;
  /** What it said last; undefined while it doesn't answer. */
  view: SentinelView | undefined;
  /** The same, also if it is silent now; undefined once its connection is lost. */
  viewBefore: SentinelView | undefined;
  /** Why it has no view; see sentinel-fault.ts. */
  fault: string | undefined;

  constructor(options: SentinelPeerOptions) {
    this.#options = options;
    this.endpoint = options.endpoint;
  }

  /** It has answered, or failed to, at least once. */
  get hasTried(): boolean {
    return this.view !== undefined || this.fault !== undefined;
  }

  /** Never rejects; does nothing while a question is under way. */
  async ask(): Promise<void> {
    await this.#askOnce();
    if (!this.#isToAskAgain) return;
    this.#isToAskAgain = false;
    await this.#askOnce();
  }

  async #askOnce(): Promise<void> {
    if (this.#isAsking || this.#isClosed) return;
    this.#isAsking = true;
    const late = new Error(`no answer in ${ANSWER_TIMEOUT_MS} ms`);
    let timer: NodeJS.Timeout | undefined;
    try {
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          // An answer may lie in the socket while this loop was held up: it is read before an immediate runs.
          setImmediate(() => reject(late));
        }, ANSWER_TIMEOUT_MS);
      });
      this.view = await Promise.race([this.#look(), silence]);
      this.viewBefore = this.view;
      this.#isKnown = true;
      this.fault = undefined;
      this.#unanswered = 0;
    } catch (error) {
      this.view = undefined;
      const { masterName, login } = this.#options;
      this.fault = sentinelFault(error, { masterName, login, isKnown: this.#isKnown });
      this.#unanswered++;
      // One that went silent is connected to anew, wherever its name leads now.
      if (error !== late || !this.#isListening || this.#unanswered >= UNANSWERED_MAX) this.#drop();
    } finally {
      clearTimeout(timer);
      this.#isAsking = false;
    }
    if (!this.#isClosed) this.#options.onNews(this);
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #look(): Promise<SentinelView> {
    const { masterName } = this.#options;
    const client = this.#client ?? (await this.#connected());
    const [master, others, address] = await Promise.all([
      client.call('SENTINEL', 'MASTER', masterName),
      client.call('SENTINEL', 'SENTINELS', masterName),
      // Needs a right of its own, and says a little earlier what the first one says too.
      client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName).catch(() => undefined),
    ]);
    return sentinelViewOf(master, others, address);
  }

  async #connected(): Promise<Redis> {
    const client = this.#options.connect(this.endpoint);
    this.#client = client;
    await readyClient(client);
    client.on('close', () => {
      if (this.#client !== client) return;
      this.#drop();
      this.view = undefined;
      this.fault = 'is away: it closed the connection';
      if (!this.#isClosed) this.#options.onNews(this);
    });
    // Before Redis 6.2 it has no name to tell.
    this.id = await client.call('SENTINEL', 'MYID').then(String, () => undefined);
    await this.#listen(client);
    this.#isListening = client === this.#client;
    return client;
  }

  /** Only by RESP3, in which a connection that listens can ask as well. */
  async #listen(client: Redis): Promise<void> {
    try {
      const hello = await client.call('HELLO');
      if (!Array.isArray(hello) || hello[hello.indexOf('proto') + 1] !== 3) return;
      client.on('message', (channel: string, message: string) => this.#beTold(channel, message));
      await client.subscribe(SWITCHED);
      await client.subscribe(SELECTED);
    } catch {
      // Then it is asked, and no more.
    }
  }

  #beTold(channel: string, message: string): void {
    const { masterName, onSwitch, onSelected } = this.#options;
    if (channel === SWITCHED) {
      if (message.split(' ')[0] !== masterName) return;
      // What is being answered may be from before.
      this.#isToAskAgain = this.#isAsking;
      void this.ask();
      onSwitch();
      return;
    }
    const selection = selectionOf(message);
    if (selection?.masterName === masterName) onSelected(this, selection);
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#isListening = false;
    this.#unanswered = 0;
    this.viewBefore = undefined;
    if (client !== undefined) closeClient(client);
  }
}
