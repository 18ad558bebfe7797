/** Where the snapshot comes from. Revisions rise with every change, in the order of the commits. */
export interface SnapshotSource {
  installation(): Promise<{ readonly revision: number; readonly identifierSecret: Uint8Array }>;
  /** The revision of every project that exists. */
  projectRevisions(): Promise<ReadonlyMap<string, number>>;
  /** All namespaces of those projects whose revision is above this one. */
  namespacesChangedAfter(revision: number): Promise<readonly StoredNamespace[]>;
}

export interface StoredNamespace {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** The rule's JSON as text. */
  readonly ruleText: string;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}
