/** What a node says of itself, as the management routes give it. Times are ISO 8601. */
export interface Status {
  readonly status: string;
  readonly version: string;
  readonly startedAt: string;
  readonly host: string;
  readonly pid: number;
  readonly nodes: number;
  /** Those of them that count in another Redis, or can't reach this node's. */
  readonly nodesElsewhere: readonly { readonly host: string; readonly pid: number }[];
  readonly configuration: { readonly kind: string; readonly state: string };
  readonly counters: {
    readonly kind: string;
    readonly state: string;
    /** What Redis shows, by its kind in docs/redis-faults.md. */
    readonly fault: string | null;
    readonly topology: string | null;
    readonly circuit: { readonly closed: number; readonly open: number; readonly halfOpen: number } | null;
    readonly mayEvict: boolean | null;
    readonly slotsAway: readonly string[];
    readonly losses: number;
  };
  readonly snapshot: { readonly revision: number; readonly ageMs: number; readonly source: string } | null;
  readonly quotaCheckpoints: {
    readonly pending: number;
    readonly written: number;
    readonly failures: number;
    readonly dropped: number;
    readonly restored: number;
  };
  /** Namespaces whose failure policy gave a verdict lately. */
  readonly degraded: readonly {
    readonly projectId: string;
    readonly namespace: string;
    readonly policy: string;
    readonly fault: string;
    readonly since: string;
    readonly verdicts: number;
  }[];
}
