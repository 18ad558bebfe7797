import type { Actor, Versioned } from './actor.ts';
import type { ApiKey, KeyKind, Scope } from './api-key.ts';
import type { Project } from './project.ts';

/**
 * The port through which projects and keys are managed. Every method is durable when it resolves
 * and has changed nothing when it rejects. Rejects with BrumeError: unknown_organisation, unknown_project,
 * unknown_key, conflict, key_ended, precondition_failed, store_unavailable.
 */
export interface TenancyStore {
  /** By name; those of one organisation, or all. */
  listProjects(filter?: { readonly organisationId?: string }): Promise<Project[]>;
  /** By id or by name. */
  findProject(idOrName: string): Promise<Project | undefined>;
  /** In the default organisation, if none is named. */
  createProject(
    project: { readonly name: string; readonly organisationId?: string },
    actor: Actor,
  ): Promise<Project>;
  /** Deletes the project with its keys and namespaces. */
  deleteProject(id: string, options: Versioned): Promise<void>;
  listKeys(projectId: string): Promise<ManagedKey[]>;
  createKey(projectId: string, key: NewApiKey, actor: Actor): Promise<ManagedKey>;
  /**
   * A new key with the name, kind and scopes of one that can still be used. That one goes on for the
   * overlap, or until its own end if that comes earlier. Rejects with `key_ended` if its end has come.
   */
  rotateKey(projectId: string, keyId: string, rotation: KeyRotation, actor: Actor): Promise<RotatedKey>;
  /** Revoking twice is no error: the first time stands. */
  revokeKey(projectId: string, keyId: string, actor: Actor): Promise<ManagedKey>;
}

/** A key as those see it who manage it. */
export interface ManagedKey extends ApiKey {
  /** The key that it was made to replace. */
  readonly replaces: string | null;
  /** To a minute or so, or null if it never was. */
  readonly lastUsedAtMs: number | null;
}

export interface NewApiKey {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  readonly prefix: string;
  /** SHA-256 of the whole key, hexadecimal. */
  readonly sha256: string;
  readonly expiresAtMs: number | null;
}

export interface KeyRotation extends Pick<NewApiKey, 'prefix' | 'sha256'> {
  /** Undefined: as for the old key before it was first rotated. */
  readonly expiresAtMs?: number | null | undefined;
  /** For so long both can be used. */
  readonly overlapMs: number;
}

export interface RotatedKey {
  readonly created: ManagedKey;
  readonly replaced: ManagedKey;
}
