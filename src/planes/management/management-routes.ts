import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { checkRoutes } from './check-routes.ts';
import { exceptionExplainRoutes } from './exception-explain-routes.ts';
import { exceptionImportRoutes } from './exception-import-routes.ts';
import { exceptionRivalRoutes } from './exception-rival-routes.ts';
import { exceptionRoutes } from './exception-routes.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { leaseRoutes } from './lease-routes.ts';
import type { ManagementDeps } from './management-deps.ts';
import { namespaceRoutes } from './namespace-routes.ts';
import { projectRoutes } from './project-routes.ts';
import { rulesHistoryRoutes } from './rules-history-routes.ts';
import { rulesRoutes } from './rules-routes.ts';
import { topRoute } from './top-route.ts';
import { userSessionRoutes } from './user-session-routes.ts';

/**
 * The management API: projects, their keys, namespaces and rules, blocks, exemptions and overrides, and checks on their behalf. One
 * plugin, mounted on the admin socket today; it knows nothing of who asks, which is the business
 * of the plane that mounts it.
 */
export const managementRoutes = fp<ManagementDeps>(
  async (app: FastifyInstance, deps: ManagementDeps) => {
    await app.register(projectRoutes, deps);
    await app.register(keyRoutes, deps);
    await app.register(namespaceRoutes, deps);
    await app.register(exceptionRoutes, deps);
    await app.register(exceptionImportRoutes, deps);
    await app.register(exceptionExplainRoutes, deps);
    await app.register(exceptionRivalRoutes, deps);
    await app.register(rulesRoutes, deps);
    await app.register(rulesHistoryRoutes, deps);
    await app.register(checkRoutes, deps);
    await app.register(leaseRoutes, deps);
    await app.register(topRoute, deps);
    await app.register(invitationRoutes, deps);
    await app.register(userSessionRoutes, deps);
  },
  { name: 'brume-management-routes' },
);
