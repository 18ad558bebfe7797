import type { ExceptionKind, MatchForm } from '../../policy/exceptions/rule-exception.ts';
import type { ExceptionRow } from '../cache/exception-rows.ts';
import type { ProjectNamespaces } from '../cache/project-namespaces.ts';
import type { Confirmation, SnapshotChange } from '../cache/snapshot-change.ts';
import type { StoredKey } from '../cache/snapshot-source.ts';

/** Raised with every change of the lines that an older Brume would read wrongly. */
export const FORMAT = 1;

/** The first line. */
export interface Head {
  readonly format: number;
  /** Which database this is a copy of, without user and password. */
  readonly database: string;
  /** Hexadecimal. */
  readonly identifierSecret: string;
}

/** namespaceId, kind, form, match, limitsText, createdAtMs, expiresAtMs: there may be millions. */
type PackedException = readonly [
  string,
  ExceptionKind,
  MatchForm,
  string,
  string | null,
  number,
  number | null,
];
type PackedMatch = readonly [namespaceId: string, kind: ExceptionKind, match: string];

/** What a line says, one of these. The lines of the base come first and end with `base`. */
export type SnapshotLine =
  | { readonly head: Head }
  | { readonly projects: readonly ProjectNamespaces[] }
  | { readonly keys: readonly StoredKey[] }
  | { readonly exceptions: readonly PackedException[] }
  | { readonly base: Confirmation }
  | { readonly changes: readonly { readonly change: PackedChange; readonly to: Confirmation }[] }
  | { readonly confirmed: Confirmation };

interface PackedChange extends Omit<SnapshotChange, 'exceptions' | 'goneExceptions'> {
  readonly exceptions: readonly PackedException[];
  readonly goneExceptions: readonly PackedMatch[];
}

export function packed(exception: ExceptionRow): PackedException {
  const { namespaceId, kind, form, match, limitsText, createdAtMs, expiresAtMs } = exception;
  return [namespaceId, kind, form, match, limitsText, createdAtMs, expiresAtMs];
}

export function unpacked(exception: PackedException): ExceptionRow {
  const [namespaceId, kind, form, match, limitsText, createdAtMs, expiresAtMs] = exception;
  return { namespaceId, kind, form, match, limitsText, createdAtMs, expiresAtMs };
}

export function packedChange(change: SnapshotChange): PackedChange {
  return {
    ...change,
    exceptions: change.exceptions.map(packed),
    goneExceptions: change.goneExceptions.map(({ namespaceId, kind, match }) => [namespaceId, kind, match]),
  };
}

export function unpackedChange(change: PackedChange): SnapshotChange {
  return {
    ...change,
    exceptions: change.exceptions.map(unpacked),
    goneExceptions: change.goneExceptions.map(([namespaceId, kind, match]) => ({ namespaceId, kind, match })),
  };
}
