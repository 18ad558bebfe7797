import type { Actor, Versioned } from './actor.ts';
import type { Project } from './project.ts';

/** A ceiling of calls a day, from midnight to midnight UTC, for the projects that have it. */
export interface Tier {
  readonly id: string;
  readonly name: string;
  readonly callsPerDay: number;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Rejects with BrumeError: unknown_tier, unknown_project, conflict, precondition_failed, store_unavailable. */
export interface TierStore {
  listTiers(): Promise<Tier[]>;
  findTier(idOrName: string): Promise<Tier | undefined>;
  createTier(tier: Pick<Tier, 'name' | 'callsPerDay'>, actor: Actor): Promise<Tier>;
  updateTier(id: string, tier: Pick<Tier, 'name' | 'callsPerDay'>, options: Versioned): Promise<Tier>;
  /** Rejects with `conflict` while projects have it. */
  deleteTier(id: string, options: Versioned): Promise<void>;
  /** Null: none. The version expected is the project's. */
  setProjectTier(projectId: string, tierId: string | null, options: Versioned): Promise<Project>;
}
