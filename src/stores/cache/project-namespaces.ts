import type { StoredNamespace } from './snapshot-source.ts';

/** What checks need of a project. */
export interface ProjectNamespaces {
  readonly id: string;
  readonly revision: number;
  readonly namespaces: readonly StoredNamespace[];
  /** Of its tier; null: no ceiling. Absent in what a Brume without tiers wrote to disk. */
  readonly callsPerDay?: number | null;
}
