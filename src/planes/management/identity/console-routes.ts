import type { FastifyPluginAsync } from 'fastify';
import { type AcceptanceRoutesDeps, acceptanceRoutes } from '../invitation-routes.ts';
import { type SessionRoutesDeps, sessionRoutes } from '../session-routes.ts';

export interface ConsoleRoutesDeps extends Omit<SessionRoutesDeps, 'signIn'>, AcceptanceRoutesDeps {
  readonly signIn: SessionRoutesDeps['signIn'] & AcceptanceRoutesDeps['signIn'];
}

/** What people need who come over the network: on the admin socket nobody signs in. */
export const consoleRoutes: FastifyPluginAsync<ConsoleRoutesDeps> = async (app, deps) => {
  await app.register(sessionRoutes, deps);
  await app.register(acceptanceRoutes, deps);
};
