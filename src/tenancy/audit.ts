/** What can be done. A Brume of another version may have recorded others. */
export const AUDIT_ACTIONS = [
  'organisation.create',
  'organisation.rename',
  'organisation.delete',
  'member.set',
  'member.remove',
  'user.create',
  'user.link',
  'user.unlink',
  'user.invite',
  'user.password',
  'user.disable',
  'user.enable',
  'user.delete',
  'session.create',
  'session.refuse',
  'session.end',
  'session.revoke',
  'sessions.revoke',
  'token.create',
  'token.revoke',
  'tier.create',
  'tier.update',
  'tier.delete',
  'project.create',
  'project.tier',
  'project.delete',
  'key.create',
  'key.rotate',
  'key.revoke',
  'namespace.create',
  'namespace.update',
  'namespace.delete',
  'block.set',
  'block.remove',
  'exemption.set',
  'exemption.remove',
  'override.set',
  'override.remove',
  'exceptions.import',
  'rules.apply',
  'rules.rollback',
  'audit.prune',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** One change, as it stays on record. Secrets are never in it. */
export interface AuditEntry {
  /** Of the change: rises in the order of the changes, and is the one that a project's history shows. */
  readonly revision: number;
  readonly atMs: number;
  readonly actor: string;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly organisationId: string | null;
  readonly projectId: string | null;
  /** One of AUDIT_ACTIONS, as far as this version knows it. */
  readonly action: string;
  /** What it was done to: a name or an id. */
  readonly target: string;
  /** JSON; null: there was none. */
  readonly before: unknown;
  /** JSON; null: there is none any more. */
  readonly after: unknown;
}

export interface AuditQuery {
  readonly organisationId?: string;
  readonly projectId?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly fromMs?: number;
  /** Up to this moment, which belongs to it. */
  readonly toMs?: number;
  /** Behind this revision. */
  readonly after?: number;
  /** 1 to 1,000. */
  readonly pageSize: number;
}

/** The port to the record of all changes. Nothing alters an entry, and only its age takes one out. */
export interface AuditStore {
  /** The oldest first. */
  listAudit(query: AuditQuery): Promise<readonly AuditEntry[]>;
}
