import type { Actor } from '../../tenancy/actor.ts';
import type { AuditAction } from '../../tenancy/audit.ts';
import type { SqlTransaction } from './sql.ts';

/** A change of the configuration under way. */
export interface Change {
  readonly transaction: SqlTransaction;
  readonly revision: number;
  readonly nowMs: number;
  readonly actor: Actor;
}

/** What may become a change. No other change is under way meanwhile. */
export interface Undecided extends Omit<Change, 'revision'> {
  /** Comes before the first write; asked again, it gives the same change. */
  begin(): Promise<Change>;
}

/** What a change did, for the audit. Never a hash or a secret. */
export interface Deed {
  readonly action: AuditAction;
  /** What it was done to: a name or an id. */
  readonly target: string;
  /** JSON as text; null: there was none. */
  readonly beforeText: string | null;
  /** JSON as text; null: there is none any more. */
  readonly afterText: string | null;
}

/** Whose a change is; null where it is the installation's. */
export interface Place {
  readonly organisationId: string | null;
  readonly projectId: string | null;
}

/** What the work of a change resolves with: its result, and what it did. */
export interface Done<T> {
  readonly value: T;
  readonly deed: Deed;
}

/** The same, of what may have turned out to be no change: then there is no deed. */
export interface MaybeDone<T> {
  readonly value: T;
  readonly deed: Deed | undefined;
}

/** A deed by what was there before it and after it. */
export function deedOf(action: AuditAction, target: string, before: unknown, after: unknown): Deed {
  return { action, target, beforeText: textOrNull(before), afterText: textOrNull(after) };
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
