import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { ExceptionPage, ExceptionStore } from '../../policy/exceptions/exception-store.ts';
import { isStronger } from '../../policy/exceptions/overlap.ts';
import {
  EXCEPTION_KINDS,
  type ExceptionKind,
  type RuleException,
} from '../../policy/exceptions/rule-exception.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { exceptionOr404 } from './exception-lookup.ts';
import { COLLECTIONS, Exception, ExceptionParams, exceptionJson } from './exception-schemas.ts';
import { namespaceOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { READ } from './route-access.ts';

const RIVALS_MAX = 20;
const PAGE_SIZE = 1000;
/** A namespace may have a million exceptions, and nobody waits for all of them to be read. */
const PAGES_MAX = 10;

const Rivals = Type.Object({
  items: Type.Array(Exception),
  isWhole: Type.Boolean({ description: 'false: there may be more' }),
});

/** Which exceptions that do something else win over one, for some of those whom it is for. */
export const exceptionRivalRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { policy, exceptions } = deps;

  for (const kind of EXCEPTION_KINDS) {
    app.get(
      `/v1/projects/:project/namespaces/:namespace/${COLLECTIONS[kind]}/:exception/rivals`,
      {
        config: READ,
        schema: { params: ExceptionParams, response: { 200: Rivals, ...PROBLEM_ANSWERS } },
      },
      async (request) => {
        const project = projectOf(request);
        const namespace = await namespaceOr404(policy, project, request.params.namespace);
        const exception = await exceptionOr404(exceptions, namespace, kind, request.params.exception);
        const found: RuleException[] = [];
        let isWhole = true;
        for (const other of kindsOfRivals(kind)) {
          const rivals = await rivalsOf(exceptions, exception, other);
          found.push(...rivals.found);
          isWhole &&= rivals.isWhole;
        }
        return {
          items: found.slice(0, RIVALS_MAX).map(exceptionJson),
          isWhole: isWhole && found.length <= RIVALS_MAX,
        };
      },
    );
  }
};

/** Two blocks say the same, and so do two exemptions; two overrides don't. */
function kindsOfRivals(kind: ExceptionKind): ExceptionKind[] {
  return EXCEPTION_KINDS.filter((other) => other !== kind || kind === 'override');
}

async function rivalsOf(
  store: ExceptionStore,
  exception: RuleException,
  kind: ExceptionKind,
): Promise<{ readonly found: readonly RuleException[]; readonly isWhole: boolean }> {
  const found: RuleException[] = [];
  // Nothing is more exact than an exact one: only another kind for the same match can win.
  const query = { kind, pageSize: PAGE_SIZE, ...(exception.form === 'exact' && { match: exception.match }) };
  let page: ExceptionPage = { items: [], next: null };
  for (let pages = 0; pages < PAGES_MAX && found.length <= RIVALS_MAX; pages++) {
    const after = page.next === null ? {} : { after: page.next };
    page = await store.listExceptions(exception.namespaceId, { ...query, ...after });
    found.push(...page.items.filter((rival) => isStronger(rival, exception)));
    if (page.next === null) return { found, isWhole: true };
  }
  return { found, isWhole: false };
}
