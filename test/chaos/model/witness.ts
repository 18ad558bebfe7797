import type { Rig } from '../rigs/rig.ts';
import type { Loss } from './ledger.ts';

const EVERY_MS = 150;
/** One node may hear of the new master later than the other, and ask the former one until then. */
const SWITCHED_WITHIN_MS = 500;

/**
 * Looks who the masters are. Where they are others than before, what the new ones had not received may be
 * lost: whatever was answered since the replicas were last seen in step.
 */
export class Witness {
  readonly #rig: Pick<Rig, 'masters' | 'areReplicasInStep'>;
  readonly #losses: Loss[];
  #masters = '';
  #inStepMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isStopped = false;

  constructor(rig: Pick<Rig, 'masters' | 'areReplicasInStep'>, losses: Loss[]) {
    this.#rig = rig;
    this.#losses = losses;
  }

  async start(): Promise<void> {
    this.#masters = await this.#rig.masters();
    this.#inStepMs = Date.now();
    const again = () => {
      this.#looking = this.#lookForStep().finally(() => {
        if (!this.#isStopped) this.#timer = setTimeout(again, EVERY_MS);
      });
    };
    again();
  }

  /** To be called when the servers are up, before anything is judged. */
  async look(): Promise<void> {
    const masters = await this.#rig.masters();
    if (masters === this.#masters) return;
    // Soon the new masters' replicas are seen in step, and that says nothing of what was lost before.
    const fromMs = this.#inStepMs;
    this.#masters = masters;
    await new Promise((resolve) => setTimeout(resolve, SWITCHED_WITHIN_MS));
    this.#losses.push({ fromMs, toMs: Date.now(), everything: false });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #lookForStep(): Promise<void> {
    const atMs = Date.now();
    try {
      if ((await this.#rig.masters()) !== this.#masters) return;
      if (!(await this.#rig.areReplicasInStep())) return;
      // Another one may have taken over while they were asked.
      if ((await this.#rig.masters()) === this.#masters) this.#inStepMs = atMs;
    } catch {
      // Somebody is away: the last time counts.
    }
  }
}
