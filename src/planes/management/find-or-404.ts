import { BrumeError } from '../../errors/catalogue.ts';
import type { Namespace } from '../../policy/namespace.ts';
import type { PolicyStore } from '../../policy/policy-store.ts';
import type { Organisation, OrganisationStore } from '../../tenancy/organisation.ts';
import type { Project } from '../../tenancy/project.ts';
import type { TenancyStore } from '../../tenancy/tenancy-store.ts';
import type { User, UserStore } from '../../tenancy/user.ts';

/**
 * What a name or an id can consist of. Anything else in a path names nothing, and is not shown to
 * a store (PostgreSQL takes no NUL, for one).
 */
const REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

export async function projectOr404(tenancy: TenancyStore, idOrName: string): Promise<Project> {
  const project = isReference(idOrName) ? await tenancy.findProject(idOrName) : undefined;
  if (project === undefined) throw new BrumeError('unknown_project');
  return project;
}

export async function namespaceOr404(
  policy: PolicyStore,
  project: Project,
  name: string,
): Promise<Namespace> {
  const namespace = isReference(name) ? await policy.findNamespace(project.id, name) : undefined;
  if (namespace === undefined) throw new BrumeError('unknown_namespace');
  return namespace;
}

export async function organisationOr404(
  organisations: OrganisationStore,
  idOrName: string,
): Promise<Organisation> {
  const organisation = isReference(idOrName) ? await organisations.findOrganisation(idOrName) : undefined;
  if (organisation === undefined) throw new BrumeError('unknown_organisation');
  return organisation;
}

export async function userOr404(users: Pick<UserStore, 'findUser'>, idOrLogin: string): Promise<User> {
  const user = isReference(idOrLogin) ? await users.findUser(idOrLogin) : undefined;
  if (user === undefined) throw new BrumeError('unknown_user');
  return user;
}
