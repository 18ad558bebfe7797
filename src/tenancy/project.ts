export interface Project {
  readonly id: string;
  readonly name: string;
  readonly organisationId: string;
  /** Null: no ceiling of calls a day. */
  readonly tierId: string | null;
  /** Rises by one when the project itself changes, for If-Match; not with its keys and namespaces. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}
