import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';

/** Has every hook that is added from now on write its name down when a request meets it. */
export function traceHooks(app: FastifyInstance, trace: string[]): void {
  type Hook = (...args: unknown[]) => unknown;
  const addHook = app.addHook as (this: FastifyInstance, name: string, hook: Hook) => FastifyInstance;
  function traced(this: FastifyInstance, name: string, hook: Hook): FastifyInstance {
    // Of this instance, which may be a child with hooks of its own.
    if (name === 'onRoute' || name === 'onClose') return addHook.call(this, name, hook);
    const noted =
      hook.constructor.name === 'AsyncFunction'
        ? async (request: unknown, reply: unknown) => {
            trace.push(hook.name);
            return hook(request, reply);
          }
        : function note(...args: unknown[]) {
            trace.push(hook.name);
            return hook(...args);
          };
    // Fastify tells hooks with a callback from those without by their length.
    Object.defineProperty(noted, 'length', { value: hook.length });
    return addHook.call(this, name, noted);
  }
  Object.assign(app, { addHook: traced });
}

/** Sees each fastify instance before anything is added to it. */
export function watchStart(t: TestContext, look: (app: FastifyInstance) => void): void {
  const onMessage = (message: unknown) => look((message as { fastify: FastifyInstance }).fastify);
  subscribe('fastify.initialization', onMessage);
  t.after(() => unsubscribe('fastify.initialization', onMessage));
}
