import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { parseException } from '../../policy/exceptions/exception-input.ts';
import { parseMatch } from '../../policy/exceptions/match.ts';
import { EXCEPTION_KINDS } from '../../policy/exceptions/rule-exception.ts';
import type { Namespace } from '../../policy/namespace.ts';
import { badMember } from '../../policy/schema-fault.ts';
import { entityTag, versionedBy } from '../hooks/etag.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { announceException, exceptionOr404, sayingWhatIsThere } from './exception-lookup.ts';
import {
  COLLECTIONS,
  Exception,
  ExceptionInput,
  ExceptionList,
  ExceptionParams,
  exceptionJson,
  ListQuery,
  PAGE_SIZE,
} from './exception-schemas.ts';
import { namespaceOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { NamespaceParams } from './resource-schemas.ts';
import { CHANGE, READ, versioned } from './route-access.ts';

/** Blocks, exemptions and overrides of a namespace: the same calls for each kind. */
export const exceptionRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { policy, exceptions, clock } = deps;

  for (const kind of EXCEPTION_KINDS) {
    const collection = `/v1/projects/:project/namespaces/:namespace/${COLLECTIONS[kind]}`;

    app.get(
      collection,
      {
        config: READ,
        schema: {
          params: NamespaceParams,
          querystring: ListQuery,
          response: { 200: ExceptionList, ...PROBLEM_ANSWERS },
        },
      },
      async (request) => {
        const { match, expired, after, limit } = request.query;
        const { id, rule } = await namespaceOf(request);
        const { items, next } = await exceptions.listExceptions(id, {
          kind,
          ...(match !== undefined && { match: parseMatch(rule.kind, match).match }),
          ...(after !== undefined && { after }),
          withExpired: expired === 'true',
          pageSize: limit === undefined ? PAGE_SIZE : Number(limit),
        });
        return { items: items.map(exceptionJson), next };
      },
    );

    app.post(
      collection,
      {
        config: CHANGE,
        schema: {
          params: NamespaceParams,
          body: ExceptionInput,
          response: { 201: Exception, ...PROBLEM_ANSWERS },
        },
      },
      async (request, reply) => {
        const { replace = false, ...input } = request.body;
        if (typeof replace !== 'boolean') throw badMember('replace', 'must be true or false');
        const namespace = await namespaceOf(request);
        const parsed = parseException(input, { kind, rule: namespace.rule, nowMs: clock.nowMs() });
        const options = { actor: actorOf(request), replace };
        const written = await sayingWhatIsThere(
          deps,
          namespace,
          parsed,
          exceptions.addException(namespace.id, parsed, options),
        );
        await announceException(deps, namespace, written);
        const { project, namespace: name } = request.params;
        const location = `/v1/projects/${project}/namespaces/${name}/${COLLECTIONS[kind]}/${written.value.id}`;
        const { value } = written;
        return reply
          .code(201)
          .headers({ location, etag: entityTag(value.version) })
          .send(exceptionJson(value));
      },
    );

    app.get(
      `${collection}/:exception`,
      {
        config: READ,
        schema: { params: ExceptionParams, response: { 200: Exception, ...PROBLEM_ANSWERS } },
      },
      async (request, reply) => {
        const namespace = await namespaceOf(request);
        const found = await exceptionOr404(exceptions, namespace, kind, request.params.exception);
        return reply.header('etag', entityTag(found.version)).send(exceptionJson(found));
      },
    );

    app.put(
      `${collection}/:exception`,
      {
        config: versioned(CHANGE),
        schema: {
          params: ExceptionParams,
          body: ExceptionInput,
          response: { 200: Exception, ...PROBLEM_ANSWERS },
        },
      },
      async (request, reply) => {
        const namespace = await namespaceOf(request);
        const { match } = await exceptionOr404(exceptions, namespace, kind, request.params.exception);
        if (Object.hasOwn(request.body, 'match'))
          throw badMember('match', "can't be changed; remove this one and add another");
        const input = { ...request.body, match };
        const parsed = parseException(input, { kind, rule: namespace.rule, nowMs: clock.nowMs() });
        const options = { ...versionedBy(request), replace: true };
        const written = await exceptions.addException(namespace.id, parsed, options);
        await announceException(deps, namespace, written);
        const { value } = written;
        return reply.header('etag', entityTag(value.version)).send(exceptionJson(value));
      },
    );

    app.delete(
      `${collection}/:exception`,
      {
        config: versioned(CHANGE),
        schema: { params: ExceptionParams, response: { 200: Exception, ...PROBLEM_ANSWERS } },
      },
      async (request) => {
        const namespace = await namespaceOf(request);
        const { match } = await exceptionOr404(exceptions, namespace, kind, request.params.exception);
        const removed = await exceptions.removeException(namespace.id, { kind, match }, versionedBy(request));
        await announceException(deps, namespace, removed);
        return exceptionJson(removed.value);
      },
    );
  }

  function namespaceOf(request: FastifyRequest<{ Params: { namespace: string } }>): Promise<Namespace> {
    return namespaceOr404(policy, projectOf(request), request.params.namespace);
  }
};
