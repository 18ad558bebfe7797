import { path } from './call-api.ts';
import { type Expected, ifMatch } from './if-match.ts';
import { type Call, listAll } from './list-all.ts';
import type { Project } from './resources.ts';

/** Tiers, as the management routes take and give them. */

export interface NewTier {
  readonly name: string;
  readonly callsPerDay: number;
}

export interface Tier extends NewTier {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The calls for tiers, by id or name. They reject as those of ApiClient do. */
export class TierCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  list(): Promise<Tier[]> {
    return listAll(this.#call, '/v1/tiers');
  }

  show(tier: string): Promise<Tier> {
    return this.#call('GET', path`/v1/tiers/${tier}`);
  }

  create(tier: NewTier): Promise<Tier> {
    return this.#call('POST', '/v1/tiers', tier);
  }

  update(tier: string, to: NewTier, expected: Expected = {}): Promise<Tier> {
    return this.#call('PUT', path`/v1/tiers/${tier}`, to, ifMatch(expected));
  }

  async delete(tier: string, expected: Expected = {}): Promise<void> {
    await this.#call('DELETE', path`/v1/tiers/${tier}`, undefined, ifMatch(expected));
  }

  /** Null: no tier. */
  setOfProject(project: string, tier: string | null, expected: Expected = {}): Promise<Project> {
    return this.#call('PUT', path`/v1/projects/${project}/tier`, { tier }, ifMatch(expected));
  }
}
