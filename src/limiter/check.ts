import type { LimitSet } from './counters.ts';
import type { FailurePolicy } from './degradation.ts';

/** What is asked: may this identifier, in this namespace, spend this cost now? */
export interface Check {
  readonly namespace: CheckedNamespace;
  /** Validated and canonical (policy/identifier.ts). */
  readonly identifier: string;
  /** Integer from 0 to 2^53-1. */
  readonly cost: number;
  readonly peek: boolean;
}

/** What the limiter needs to know of a namespace. */
interface CheckedNamespace {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly rule: LimitSet & { readonly onStoreFailure: FailurePolicy };
}
