import type { Clock } from '../../limiter/clock.ts';
import { Seldom } from '../../telemetry/seldom.ts';
import type { Timers } from '../cache/timers.ts';
import type { StoreLog } from '../store-log.ts';

/** What a listener tells the operator: each loss and return once, at most a line a second. */
export class ListenerLog {
  readonly #log: StoreLog;
  readonly #seldom: Seldom;
  #isLost = false;
  #isUnheard = false;

  constructor(log: StoreLog, clock: Pick<Clock, 'monotonicMs'>, timers: Timers) {
    this.#log = log;
    this.#seldom = new Seldom(clock, { timers });
  }

  listening(): void {
    this.#isUnheard = false;
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#seldom.run('state', () => this.#log.info({}, 'changes are listened for again'));
  }

  lost(reason: Error | undefined): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#seldom.run('state', () =>
      this.#log.warn(
        { err: reason },
        'nobody listens for changes: the connection broke or could not be made; they are seen by polling until it is back',
      ),
    );
  }

  unheard(): void {
    if (this.#isUnheard) return;
    this.#isUnheard = true;
    this.#log.warn(
      {},
      'notices of changes do not arrive, so they are seen by polling, within BRUME_PROPAGATION_MS; where a ' +
        'pooler in transaction mode is the reason, set BRUME_DATABASE_LISTEN_URL to the PostgreSQL server itself',
    );
  }
}
