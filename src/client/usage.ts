import { path } from './call-api.ts';
import { type Call, listAll } from './list-all.ts';

/** How much a project uses, as the management routes give it. */

export interface UsageItem {
  /** Of the hour or the day, in UTC. */
  readonly start: string;
  /** Null unless it is told apart by namespace. */
  readonly namespace: string | null;
  /** The id of a key; null unless it is told apart by key, and for checks on the management plane. */
  readonly key: string | null;
  readonly keyName: string | null;
  readonly allowed: number;
  readonly denied: number;
  /** Those of both that the failure policy gave. */
  readonly degraded: number;
  /** What the allowed ones cost together. */
  readonly cost: number;
}

export interface UsageFilter {
  /** The whole project if absent. */
  readonly by?: 'namespace' | 'key';
  /** `day` if absent. */
  readonly step?: 'hour' | 'day';
  /** Times with their offset: the first step holds `from`, the last one begins before `to`. */
  readonly from?: string;
  readonly to?: string;
  readonly namespace?: string;
  /** The id of a key. */
  readonly key?: string;
}

/** The call for usage. It rejects as those of ApiClient do. */
export class UsageCalls {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** All of it, the oldest first. */
  list(project: string, filter: UsageFilter = {}): Promise<UsageItem[]> {
    return listAll(this.#call, path`/v1/projects/${project}/usage`, { ...filter });
  }
}
