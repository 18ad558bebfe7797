import type { LimitSet } from '../limiter/counters.ts';
import type { FailurePolicy } from '../limiter/degradation.ts';
import type { NamespaceKind } from './names.ts';
import type { RuleJson } from './rule-schema.ts';

/** How the forward-auth calls find the identifier. */
export type IdentifyBy =
  | { readonly by: 'address' }
  | { readonly by: 'header'; readonly header: string }
  | { readonly by: 'path' }
  | { readonly by: 'key' };

/** A rule as it is decided by: validated, completed with defaults, frozen; limits that are off left out. */
export interface Rule extends LimitSet {
  readonly kind: NamespaceKind;
  /** Bits of an IPv6 address that count, 1 to 128: in kind `ip`, and where a forward-auth call finds one. */
  readonly ipv6Prefix: number;
  readonly identifyBy: IdentifyBy;
  readonly onStoreFailure: FailurePolicy;
  /** As it was given, completed with defaults: what is stored and shown. */
  readonly json: RuleJson;
}

export interface Namespace {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly rule: Rule;
  /** Rises with every change; no two rules that a namespace ever had share one. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/**
 * The port through which checks see configuration: a snapshot in memory that is never older than
 * the propagation bound while the configuration store answers. No method does I/O.
 */
export interface PolicySnapshot {
  namespace(projectId: string, name: string): Namespace | undefined;
  /** The installation's secret under which identifiers are hashed; 32 bytes. */
  identifierSecret(): Uint8Array;
  state(): SnapshotState;
}

export interface SnapshotState {
  readonly isLoaded: boolean;
  readonly revision: number;
  /** Milliseconds since the store last confirmed this snapshot. */
  readonly ageMs: number;
  readonly isStale: boolean;
  /** `disk`: read from a file at the start, since the store has not answered yet. */
  readonly source: 'store' | 'disk';
}
