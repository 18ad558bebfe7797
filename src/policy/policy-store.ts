import type { Actor, Versioned } from '../tenancy/actor.ts';
import type { Namespace, Rule } from './namespace.ts';

/** What was written, and the number of the change that wrote it. */
export interface Written<T> {
  readonly value: T;
  readonly revision: number;
}

/**
 * The port through which namespaces are managed. Every method is durable when it resolves and has
 * changed nothing when it rejects. Rejects with BrumeError: unknown_project, unknown_namespace,
 * conflict, precondition_failed, store_unavailable. The actor is who is recorded in the audit, and by name in
 * the project's history.
 */
export interface PolicyStore {
  listNamespaces(projectId: string): Promise<Namespace[]>;
  findNamespace(projectId: string, name: string): Promise<Namespace | undefined>;
  /** Rejects with `conflict` if the name is taken. */
  createNamespace(projectId: string, name: string, rule: Rule, actor: Actor): Promise<Namespace>;
  /** Replaces the rule; rejects with `unknown_namespace`. */
  updateNamespace(projectId: string, name: string, rule: Rule, options: Versioned): Promise<Namespace>;
  deleteNamespace(projectId: string, name: string, options: Versioned): Promise<void>;
}
