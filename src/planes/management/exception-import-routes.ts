import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { BrumeError } from '../../errors/catalogue.ts';
import { parseException } from '../../policy/exceptions/exception-input.ts';
import { EXCEPTION_KINDS, type NewException } from '../../policy/exceptions/rule-exception.ts';
import type { Namespace } from '../../policy/namespace.ts';
import { badMember } from '../../policy/schema-fault.ts';
import { actorOf } from '../hooks/identification.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { announceException, conflictWith } from './exception-lookup.ts';
import { COLLECTIONS, ImportBody, Imported } from './exception-schemas.ts';
import { namespaceOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { NamespaceParams } from './resource-schemas.ts';
import { CHANGE } from './route-access.ts';

/** A thousand of the longest matches with the longest reasons, each character written as JSON's escape at worst. */
const BODY_MAX_BYTES = 8 * 1024 * 1024;

/** Many exceptions in one change: all of them or none. */
export const exceptionImportRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { policy, exceptions, clock } = deps;

  for (const kind of EXCEPTION_KINDS) {
    app.post(
      `/v1/projects/:project/namespaces/:namespace/${COLLECTIONS[kind]}/import`,
      {
        config: CHANGE,
        bodyLimit: BODY_MAX_BYTES,
        schema: {
          params: NamespaceParams,
          body: ImportBody,
          response: { 200: Imported, ...PROBLEM_ANSWERS },
        },
      },
      async (request) => {
        const { entries, replace = false } = request.body;
        const project = projectOf(request);
        const namespace = await namespaceOr404(policy, project, request.params.namespace);
        const nowMs = clock.nowMs();
        const parsed = entries.map((entry, index) =>
          parseException(entry, { kind, rule: namespace.rule, nowMs, at: `entries[${index}]` }),
        );
        refuseTwice(parsed);
        const options = { actor: actorOf(request), replace };
        const { value, revision } = await sayingWhichIsThere(
          namespace,
          parsed,
          exceptions.addExceptions(namespace.id, parsed, options),
        );
        await Promise.all(
          parsed.map((exception) => announceException(deps, namespace, { value: exception, revision })),
        );
        return value;
      },
    );
  }

  async function sayingWhichIsThere<Result>(
    namespace: Namespace,
    parsed: readonly NewException[],
    writing: Promise<Result>,
  ): Promise<Result> {
    try {
      return await writing;
    } catch (error) {
      if (!(error instanceof BrumeError) || error.code !== 'conflict') throw error;
      const { field } = error;
      const entry = parsed[Number(/^entries\[(\d+)\]/.exec(field ?? '')?.[1] ?? Number.NaN)];
      if (entry === undefined) throw error;
      const { kind, match } = entry;
      const [there] = (await exceptions.listExceptions(namespace.id, { kind, match, pageSize: 1 })).items;
      throw there === undefined ? error : conflictWith(there, field);
    }
  }
};

function refuseTwice(parsed: readonly NewException[]): void {
  const seen = new Map<string, number>();
  for (const [index, { match }] of parsed.entries()) {
    const first = seen.get(match);
    if (first !== undefined) {
      throw badMember(
        `entries[${index}].match`,
        `must not be there twice; entries[${first}] is for ${match} too`,
      );
    }
    seen.set(match, index);
  }
}
