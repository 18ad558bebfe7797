import type { FastifyInstance, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route of the plane, in the order of their declaration. */
    routeList: readonly RouteOptions[];
  }
}

/** Keeps the declarations of all routes, for the documents that are made of them. Comes first. */
export const routeList = fp(
  async (app: FastifyInstance) => {
    const routes: RouteOptions[] = [];
    app.decorate('routeList', routes);
    app.addHook('onRoute', (route) => {
      routes.push(route);
    });
  },
  { name: 'brume-route-list' },
);
