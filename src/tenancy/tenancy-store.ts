import type { ApiKey, KeyKind, Scope } from './api-key.ts';
import type { Project } from './project.ts';

/**
 * The port through which projects and keys are managed. Every method is durable when it resolves
 * and has changed nothing when it rejects. Rejects with BrumeError: unknown_project, unknown_key,
 * conflict, store_unavailable.
 */
export interface TenancyStore {
  listProjects(): Promise<Project[]>;
  /** By id or by name. */
  findProject(idOrName: string): Promise<Project | undefined>;
  createProject(name: string): Promise<Project>;
  /** Deletes the project with its keys and namespaces. */
  deleteProject(id: string): Promise<void>;
  listKeys(projectId: string): Promise<ApiKey[]>;
  createKey(projectId: string, key: NewApiKey): Promise<ApiKey>;
  /** Revoking twice is no error: the first time stands. */
  revokeKey(projectId: string, keyId: string): Promise<ApiKey>;
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
