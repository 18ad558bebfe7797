import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { auditRoutes } from './audit-routes.ts';
import { checkRoutes } from './check-routes.ts';
import { exceptionExplainRoutes } from './exception-explain-routes.ts';
import { exceptionImportRoutes } from './exception-import-routes.ts';
import { exceptionRivalRoutes } from './exception-rival-routes.ts';
import { exceptionRoutes } from './exception-routes.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { keyRotationRoutes } from './key-rotation-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { leaseRoutes } from './lease-routes.ts';
import type { ManagementDeps } from './management-deps.ts';
import { memberRoutes } from './member-routes.ts';
import { namespaceRoutes } from './namespace-routes.ts';
import { organisationRoutes } from './organisation-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { rulesHistoryRoutes } from './rules-history-routes.ts';
import { rulesRoutes } from './rules-routes.ts';
import { statusRoute } from './status-route.ts';
import { tierRoutes } from './tier-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { topRoute } from './top-route.ts';
import { usageRoute } from './usage-route.ts';
import { userIdentityRoutes } from './user-identity-routes.ts';
import { userRoutes } from './user-routes.ts';
import { userSessionRoutes } from './user-session-routes.ts';

/**
 * The management API: organisations, their people and tokens, projects, their keys, namespaces and rules,
 * blocks, exemptions and overrides, and checks on their behalf. One plugin, mounted on the admin socket
 * and on the management plane; how it is found out who asks is the business of the plane.
 */
export const managementRoutes = fp<ManagementDeps>(
  async (app: FastifyInstance, deps: ManagementDeps) => {
    await app.register(organisationRoutes, deps);
    await app.register(memberRoutes, deps);
    await app.register(tokenRoutes, deps);
    await app.register(userRoutes, deps);
    await app.register(tierRoutes, deps);
    await app.register(auditRoutes, deps);
    await app.register(projectRoutes, deps);
    await app.register(keyRoutes, deps);
    await app.register(keyRotationRoutes, deps);
    await app.register(namespaceRoutes, deps);
    await app.register(exceptionRoutes, deps);
    await app.register(exceptionImportRoutes, deps);
    await app.register(exceptionExplainRoutes, deps);
    await app.register(exceptionRivalRoutes, deps);
    await app.register(rulesRoutes, deps);
    await app.register(rulesHistoryRoutes, deps);
    await app.register(checkRoutes, deps);
    await app.register(leaseRoutes, deps);
    await app.register(statusRoute, deps);
    await app.register(topRoute, deps);
    await app.register(usageRoute, deps);
    await app.register(invitationRoutes, deps);
    await app.register(userSessionRoutes, deps);
    await app.register(userIdentityRoutes, deps);
  },
  { name: 'brume-management-routes' },
);
