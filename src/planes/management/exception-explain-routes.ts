import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { fullAddress } from '../../policy/address.ts';
import { overriddenRule } from '../../policy/exceptions/overridden-rule.ts';
import { matchingExceptions, possibleMatches, specificity } from '../../policy/exceptions/precedence.ts';
import type { RuleException } from '../../policy/exceptions/rule-exception.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import { projectOf } from './authorisation.ts';
import { Exception, exceptionJson } from './exception-schemas.ts';
import { namespaceOr404 } from './find-or-404.ts';
import type { ManagementDeps } from './management-deps.ts';
import { NamespaceParams } from './resource-schemas.ts';
import { READ } from './route-access.ts';

/** Why an exception that matches doesn't decide. */
const REASONS = ['expired', 'less_exact', 'weaker_kind', 'newer'] as const;
type Because = (typeof REASONS)[number];

const Explanation = Type.Object({
  identifier: Type.String({ description: 'as it is counted by' }),
  decides: Type.Union([Exception, Type.Null()]),
  withoutEffect: Type.Array(
    Type.Object({ name: Type.String(), members: Type.Array(Type.Enum(['limit', 'burst', 'mode'])) }),
    {
      description:
        'what the override that decides says of limits and quotas that the rule no longer has (then without members), or no longer takes',
    },
  ),
  others: Type.Array(Type.Object({ ...Exception.properties, because: Type.Enum([...REASONS]) })),
});

/** Which block, exemption or override decides for an identifier, and which match too and don't. */
export const exceptionExplainRoutes: FastifyPluginAsyncTypebox<ManagementDeps> = async (app, deps) => {
  const { policy, exceptions, clock } = deps;

  app.get(
    '/v1/projects/:project/namespaces/:namespace/exceptions/explain',
    {
      config: READ,
      schema: {
        params: NamespaceParams,
        querystring: Type.Object({ identifier: Type.String() }, { additionalProperties: false }),
        response: { 200: Explanation, ...PROBLEM_ANSWERS },
      },
    },
    async (request) => {
      const project = projectOf(request);
      const { id, rule } = await namespaceOr404(policy, project, request.params.namespace);
      const { identifier: asked } = request.query;
      const identifier = canonicalIdentifier(rule, asked);
      // What is for a single address holds for it alone, though it is counted with its whole prefix.
      const subject = rule.kind === 'ip' ? (fullAddress(asked) ?? asked) : asked;

      const candidates = await exceptions.findCandidates(id, possibleMatches(rule.kind, subject));
      const all = matchingExceptions(candidates, rule.kind, subject, Number.NEGATIVE_INFINITY);
      const nowMs = clock.nowMs();
      const isOver = ({ expiresAtMs }: RuleException) => expiresAtMs !== null && expiresAtMs <= nowMs;
      const decides = all.find((exception) => !isOver(exception)) ?? null;
      return {
        identifier,
        decides: decides === null ? null : exceptionJson(decides),
        withoutEffect: overriddenRule(rule, decides?.limits ?? []).withoutEffect.map(({ name, members }) => ({
          name,
          members: [...members],
        })),
        others: all
          .filter((exception) => exception !== decides)
          .map((exception) => ({
            ...exceptionJson(exception),
            because: decides === null || isOver(exception) ? 'expired' : because(exception, decides),
          })),
      };
    },
  );
};

function because(loser: RuleException, winner: RuleException): Because {
  if (specificity(loser) < specificity(winner)) return 'less_exact';
  return loser.kind === winner.kind ? 'newer' : 'weaker_kind';
}
