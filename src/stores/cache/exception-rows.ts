import type { ExceptionKind } from '../../policy/exceptions/rule-exception.ts';
import type { NamespaceKind } from '../../policy/names.ts';
import type { RemovedException, StoredException } from './snapshot-source.ts';

/** What is kept of an exception. */
export type ExceptionRow = Omit<StoredException, 'id' | 'revision'>;

export interface FoundException {
  readonly kind: ExceptionKind;
  /** Infinity: it has no end. */
  readonly untilMs: number;
  readonly limitsText: string | null;
}

/** The part of the table of exceptions that the snapshot needs: at most one for each namespace, match and kind. */
export interface ExceptionRows {
  readonly count: number;
  /** Estimated. */
  readonly bytes: number;
  upsert(exception: ExceptionRow): void;
  remove(exception: Pick<RemovedException, 'namespaceId' | 'kind' | 'match'>): void;
  dropNamespace(namespaceId: string): void;
  find(namespaceId: string, kind: NamespaceKind, subject: string, nowMs: number): FoundException | undefined;
  /** Goes on while the table changes: what is there from the beginning to the end comes at least once. */
  rows(): Iterable<ExceptionRow>;
}
