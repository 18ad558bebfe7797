import type { FastifyPluginAsync } from 'fastify';
import { type AcceptanceRoutesDeps, acceptanceRoutes } from '../invitation-routes.ts';
import { type SessionRoutesDeps, sessionRoutes } from '../session-routes.ts';
import { type PasswordRouteDeps, passwordRoute } from './password-route.ts';

export interface ConsoleRoutesDeps extends Omit<SessionRoutesDeps, 'signIn'>, AcceptanceRoutesDeps {
  readonly signIn: SessionRoutesDeps['signIn'] & AcceptanceRoutesDeps['signIn'] & PasswordRouteDeps['signIn'];
}

/** What people need who come over the network: on the admin socket nobody signs in. */
export const consoleRoutes: FastifyPluginAsync<ConsoleRoutesDeps> = async (app, deps) => {
  await app.register(sessionRoutes, deps);
  await app.register(passwordRoute, deps);
  await app.register(acceptanceRoutes, deps);
};
