import type { ExceptionKind, MatchForm } from '../../policy/exceptions/rule-exception.ts';

/** The store answers, and holds no installation. */
export class EmptyStore extends Error {
  override readonly name = 'EmptyStore';
}

/** Where the snapshot comes from. Revisions rise with every change, in the order of the commits. */
export interface SnapshotSource {
  /** Rejects with EmptyStore if there is none. */
  installation(): Promise<{
    readonly revision: number;
    /** As of `revisedAtMs`. */
    readonly revisedAtMs: number | null;
    readonly identifierSecret: Uint8Array;
    /** Removals of exceptions up to this revision are no longer listed. */
    readonly removalsListedAfter: number;
  }>;
  /**
   * When the change of a revision was made, in epoch milliseconds; null where that isn't known (any more). A
   * revision that was lost and came again with another change is told by it.
   */
  revisedAtMs(revision: number): Promise<number | null>;
  /** Asked before everything is read anew: false while a backup is being loaded. */
  isWhole(): Promise<boolean>;
  /** The revision of every project that exists. */
  projectRevisions(): Promise<ReadonlyMap<string, number>>;
  /** All namespaces of those projects whose revision is above this one. */
  namespacesChangedAfter(revision: number): Promise<readonly StoredNamespace[]>;
  /** Calls a day, of those projects that have a ceiling and whose revision is above this one. */
  budgetsChangedAfter(revision: number): Promise<ReadonlyMap<string, number>>;
  /** All keys that can still be used, of those projects whose revision is above this one. */
  keysChangedAfter(revision: number): Promise<readonly StoredKey[]>;
  /** Exceptions written after a revision, in the order of revision and id, behind the one given. */
  exceptionsChangedAfter(
    revision: number,
    page: { readonly after?: Pick<StoredException, 'revision' | 'id'>; readonly pageSize: number },
  ): Promise<readonly StoredException[]>;
  /** Exceptions removed after a revision, in the order of the removals. */
  exceptionsRemovedAfter(revision: number): Promise<readonly RemovedException[]>;
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

/** As ApiKey, with the hash by which it is found. */
export interface StoredKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly kind: string;
  readonly scopes: string;
  readonly prefix: string;
  readonly sha256: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

/** What deciding needs of an exception: not who made it, nor why. */
export interface StoredException {
  readonly id: string;
  readonly namespaceId: string;
  readonly kind: ExceptionKind;
  readonly form: MatchForm;
  readonly match: string;
  /** The JSON of its limits as text; null where it has none. */
  readonly limitsText: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revision: number;
}

/** `revision` is that of the removal: one written again after it is there. */
export interface RemovedException {
  readonly namespaceId: string;
  readonly kind: ExceptionKind;
  readonly match: string;
  readonly revision: number;
}
