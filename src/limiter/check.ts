import type { LimitSet } from './counters.ts';
import type { FailurePolicy } from './degradation.ts';

/** What is asked: may this identifier, in this namespace, spend this cost now? */
export interface Check {
  readonly namespace: CheckedNamespace;
  /** Validated and canonical (policy/identifier.ts). */
  readonly identifier: string;
  /** What exceptions are matched on, where that is more than the identifier: the full address. */
  readonly subject?: string;
  /** Integer from 0 to 2^53-1. */
  readonly cost: number;
  readonly peek: boolean;
  /** The id of the key that asks, for the record of who uses what; nothing is decided by it. */
  readonly keyId?: string;
  /** 1 to 128 printable ASCII characters: a retry under it gets the first answer and consumes nothing. */
  readonly requestId?: string;
  /** For whom a place is acquired, or under which the cost is reserved: `RANDOM:TTL`, see sealed-id.ts. */
  readonly holder?: string;
  readonly reservation?: string;
}

/** What the limiter needs to know of a namespace. */
export interface CheckedNamespace {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly rule: LimitSet & { readonly onStoreFailure: FailurePolicy };
}
