import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BrumeError, type ErrorCode } from '../../errors/catalogue.ts';
import { DEFAULT_ORGANISATION_ID, type Organisation } from '../../tenancy/organisation.ts';
import type { Project } from '../../tenancy/project.ts';
import { isAtLeast, type Role } from '../../tenancy/role.ts';
import { principalOf } from '../hooks/identification.ts';
import { organisationOr404, projectOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import './route-access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** That of the path, to which the caller's role was found to reach. */
    project: Project | null;
    /** That of the path or of the body. */
    organisation: Organisation | null;
    /** The caller's, where the route needs one. */
    role: Role | null;
  }
}

type AuthorisationDeps = Pick<ManagementDeps, 'tenancy' | 'organisations'>;

/**
 * Decides by the route's `role` and `within` whether the caller may go on. What is in the path is
 * looked up once, here: a handler that looked up the name again might find another project by then.
 */
export const authorisation = fp<AuthorisationDeps>(
  async (app: FastifyInstance, { tenancy, organisations }: AuthorisationDeps) => {
    app.decorateRequest('project', null);
    app.decorateRequest('organisation', null);
    app.decorateRequest('role', null);

    app.addHook('onRequest', async function authorise(request) {
      const { role, within, organisationInBody = false } = request.routeOptions.config;
      if (request.principal === null || role === undefined || organisationInBody) return;
      const { project, organisation } = namesOf(request.params);
      if (within === 'installation') await requireRole(request, DEFAULT_ORGANISATION_ID, role);
      if (project !== undefined) request.project = await projectOr404(tenancy, project);
      if (organisation !== undefined) {
        request.organisation = await organisationOr404(organisations, organisation);
      }
      if (within === 'project') {
        await requireRole(request, projectOf(request).organisationId, role, 'unknown_project');
      }
      if (within === 'organisation') {
        await requireRole(request, organisationOf(request).id, role, 'unknown_organisation');
      }
      requirePerson(request);
    });

    app.addHook('preHandler', async function authoriseBody(request) {
      const { role, organisationInBody = false } = request.routeOptions.config;
      if (request.principal === null || role === undefined || !organisationInBody) return;
      const { organisation = DEFAULT_ORGANISATION_ID } = namesOf(request.body);
      request.organisation = await organisationOr404(organisations, organisation);
      await requireRole(request, request.organisation.id, role, 'unknown_organisation');
      requirePerson(request);
    });
  },
  { name: 'brume-authorisation', dependencies: ['brume-identification'] },
);

/** To a stranger what is not theirs is not there; a member learns what is missing. */
async function requireRole(
  request: FastifyRequest,
  organisationId: string,
  least: Role,
  toStrangers: ErrorCode = 'forbidden_role',
): Promise<void> {
  const role = await principalOf(request).roleIn(organisationId);
  if (role === undefined) throw new BrumeError(toStrangers);
  if (!isAtLeast(role, least)) {
    throw new BrumeError('forbidden_role', {
      detail: `This call needs the role ${least}; yours is ${role}.`,
    });
  }
  request.role = role;
}

/** A token that made tokens, links or members would never have to end. */
function requirePerson(request: FastifyRequest): void {
  if (request.routeOptions.config.isForPeople !== true || principalOf(request).tokenId === null) return;
  throw new BrumeError('forbidden_role', {
    detail: "A token can't do this, since what it gives would outlive the token: sign in for that.",
  });
}

/** The caller's, where the route needs one: at least what it needs. */
export function roleOf(request: FastifyRequest): Role {
  if (request.role === null) throw new Error(`route ${request.routeOptions.url} needs no role`);
  return request.role;
}

/** The project of the path. */
export function projectOf(request: FastifyRequest): Project {
  if (request.project === null) throw new Error(`route ${request.routeOptions.url} has no project`);
  return request.project;
}

/** The organisation of the path or of the body. */
export function organisationOf(request: FastifyRequest): Organisation {
  if (request.organisation === null) throw new Error(`route ${request.routeOptions.url} has no organisation`);
  return request.organisation;
}

function namesOf(given: unknown): { readonly project?: string; readonly organisation?: string } {
  if (typeof given !== 'object' || given === null) return {};
  const { project, organisation } = given as Record<string, unknown>;
  return {
    ...(typeof project === 'string' && { project }),
    ...(typeof organisation === 'string' && { organisation }),
  };
}
