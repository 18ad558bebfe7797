import type { Redis } from 'ioredis';
import { closeClient } from '../connection.ts';
import type { RedisEndpoint } from '../redis-address.ts';
import { sentinelFault } from './sentinel-fault.ts';
import { type SentinelView, sentinelViewOf } from './sentinel-view.ts';

/** A Sentinel that says nothing for so long is not heard until it does. */
const ANSWER_TIMEOUT_MS = 500;

export interface SentinelPeerOptions {
  readonly endpoint: RedisEndpoint;
  readonly masterName: string;
  readonly connect: (endpoint: RedisEndpoint) => Redis;
  /** It said something, or failed to. */
  readonly onNews: (peer: SentinelPeer) => void;
  /** It told of a failover by itself. */
  readonly onSwitch: () => void;
}

/** One Sentinel: asked when told to, and listened to in between. */
export class SentinelPeer {
  readonly endpoint: RedisEndpoint;
  readonly #options: SentinelPeerOptions;
  #client: Redis | undefined;
  #isAsking = false;
  #isClosed = false;
  /** Its own name; undefined until it has said so. */
  id: string | undefined;
  /** What it said last; undefined while it doesn't answer. */
  view: SentinelView | undefined;
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
    if (this.#isAsking || this.#isClosed) return;
    this.#isAsking = true;
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new Error(`no answer in ${ANSWER_TIMEOUT_MS} ms`)),
          ANSWER_TIMEOUT_MS,
        );
      });
      this.view = await Promise.race([this.#look(), late]);
      this.fault = undefined;
    } catch (error) {
      this.view = undefined;
      this.fault = sentinelFault(error, this.#options.masterName);
      // One that went silent is connected to anew, wherever its name leads now.
      this.#drop();
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
    const [master, others] = await Promise.all([
      client.call('SENTINEL', 'MASTER', masterName),
      client.call('SENTINEL', 'SENTINELS', masterName),
    ]);
    return sentinelViewOf(master, others);
  }

  async #connected(): Promise<Redis> {
    const client = this.#options.connect(this.endpoint);
    this.#client = client;
    await readyOrFault(client);
    client.on('close', () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.view = undefined;
      this.fault = 'is away: it closed the connection';
      if (!this.#isClosed) this.#options.onNews(this);
    });
    // Before Redis 6.2 it has no name to tell.
    this.id = await client.call('SENTINEL', 'MYID').then(String, () => undefined);
    await this.#listen(client);
    return client;
  }

  /** Only by RESP3, in which a connection that listens can ask as well. */
  async #listen(client: Redis): Promise<void> {
    try {
      const hello = await client.call('HELLO');
      if (!Array.isArray(hello) || hello[hello.indexOf('proto') + 1] !== 3) return;
      client.on('message', (_channel, message: string) => {
        if (message.split(' ')[0] === this.#options.masterName) this.#options.onSwitch();
      });
      await client.subscribe('+switch-master');
    } catch {
      // Then it is asked, and no more.
    }
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) closeClient(client);
  }
}

function readyOrFault(client: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    let fault = new Error('it closed the connection');
    client.on('error', (error: Error) => {
      fault = error;
    });
    client.once('ready', resolve);
    client.once('end', () => reject(fault));
  });
}
