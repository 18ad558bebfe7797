import type { StoreLog } from '../store-log.ts';
import type { Greeting } from './kept-connection.ts';
import { isAnother } from './server-identity.ts';

type Server = Pick<Greeting, 'place' | 'process'>;

/** Which server counted last, and whether the next one is the same. */
export class KnownServer {
  readonly #log: Pick<StoreLog, 'info' | 'warn'>;
  #server: Server | undefined;

  constructor(log: Pick<StoreLog, 'info' | 'warn'>) {
    this.#log = log;
  }

  /** It counts from now on, which is told. False if another one did before. */
  meet(server: Server): boolean {
    const before = this.#server;
    this.#server = server;
    const isSame = before === undefined || !isAnother(before, server);
    if (isSame) this.#log.info({ server: server.place }, 'Redis connected');
    else {
      this.#log.warn(
        { server: server.place, before: before.place },
        'another Redis server, or the same one started again, counts now: what the former one had not passed on or saved is lost, and may be admitted once more',
      );
    }
    return isSame;
  }
}
