import { askAdmin } from '../../support/admin-socket.ts';
import type { BrumeProcess } from '../../support/brume-process.ts';
import { dataCall } from './data-call.ts';

const CALLERS = 4;

export interface LoadSoFar {
  readonly checks: number;
  readonly changes: number;
  /** Whatever was not answered as it should. */
  readonly faults: readonly string[];
}

/** Checks without a pause on several connections, and changes of configuration, until it is stopped. */
export class SteadyLoad {
  readonly #brume: BrumeProcess;
  readonly #key: string;
  readonly #faults: string[] = [];
  readonly #callers: Promise<void>[];
  #checks = 0;
  #changes = 0;
  #isStopped = false;

  constructor(brume: BrumeProcess, key: string) {
    this.#brume = brume;
    this.#key = key;
    const callers = Array.from({ length: CALLERS }, (_, caller) =>
      this.#repeat((round) => this.#check(`user-${caller}-${round % 50}`)),
    );
    this.#callers = [...callers, this.#repeat((round) => this.#change(`user-${round}`))];
  }

  soFar(): LoadSoFar {
    return { checks: this.#checks, changes: this.#changes, faults: this.#faults };
  }

  async stop(): Promise<LoadSoFar> {
    this.#isStopped = true;
    await Promise.all(this.#callers);
    return this.soFar();
  }

  async #repeat(work: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; !this.#isStopped; round++) {
      try {
        await work(round);
      } catch (error) {
        this.#faults.push(String(error));
      }
    }
  }

  async #check(identifier: string): Promise<void> {
    const asked = { namespace: 'work', identifier };
    const { status, body } = await dataCall(this.#brume, this.#key, 'POST', 'limit', asked);
    if (status !== 200 || body?.degraded !== false || body.success !== true)
      this.#faults.push(`${status} ${JSON.stringify(body)}`);
    this.#checks += 1;
  }

  async #change(name: string): Promise<void> {
    const path = '/v1/projects/busy/namespaces/work/blocks';
    // Nobody whom the checks are for.
    await askAdmin(this.#brume.settings.BRUME_ADMIN_SOCKET ?? '', 'POST', path, {
      match: `blocked-${name}`,
      replace: true,
    });
    this.#changes += 1;
  }
}
