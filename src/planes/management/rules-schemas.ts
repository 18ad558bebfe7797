import { type Static, Type } from '@fastify/type-provider-typebox';
import { ChangeCounts } from '../../policy/rules/change-summary.ts';
import { countsEffects, type Effect } from '../../policy/rules/counts-effects.ts';
import type { Applied, ChangeItem, ProjectChange } from '../../policy/rules/rules-store.ts';
import { mapping, type Steps } from '../../policy/rules/steps.ts';
import { iso } from './resource-schemas.ts';

/** A project's rules as a whole, and its history, as the management API shows them. */

export const RevisionParams = Type.Object({ project: Type.String(), revision: Type.String() });

const flag = Type.Optional(
  Type.Union([Type.Literal('true'), Type.Literal('false')], { description: 'true or false' }),
);

export const ApplyQuery = Type.Object({ prune: flag, dryRun: flag }, { additionalProperties: false });

export const HistoryQuery = Type.Object(
  {
    before: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'a revision' })),
    limit: Type.Optional(
      Type.String({ pattern: '^([1-9][0-9]{0,2}|1000)$', description: 'an integer from 1 to 1000' }),
    ),
  },
  { additionalProperties: false },
);

/** The rules arrive as any JSON: policy/rules/rules-input.ts judges them, and names the member at fault. */
export const RulesInput = Type.Unknown({ description: 'The rules of a project; docs/rules.schema.json' });

export const ExportedRules = Type.Object({
  revision: Type.Integer(),
  rules: Type.Unknown(),
  /** Exceptions, or parts of them, that have no effect under their namespace's rule. */
  leftOut: Type.Array(Type.Object({ namespace: Type.String(), kind: Type.String(), match: Type.String() })),
});

const Item = Type.Object({
  namespace: Type.String(),
  exception: Type.Union([Type.Object({ kind: Type.String(), match: Type.String() }), Type.Null()]),
  before: Type.Unknown(),
  after: Type.Unknown(),
});

export const AppliedRules = Type.Object({
  revision: Type.Integer(),
  summary: Type.String(),
  items: Type.Array(Item),
  effects: Type.Array(
    Type.Object({
      namespace: Type.String(),
      limit: Type.Union([Type.String(), Type.Null()]),
      effect: Type.String(),
      text: Type.String(),
    }),
  ),
});

const changeMembers = {
  revision: Type.Integer(),
  author: Type.String(),
  summary: Type.String(),
  createdAt: Type.String({ description: 'ISO 8601, UTC' }),
};

export const Change = Type.Object({ ...changeMembers, items: Type.Array(Item) });

export const ChangeList = Type.Object({
  items: Type.Array(Type.Object(changeMembers)),
  next: Type.Union([Type.Integer({ description: '`before` for the next page' }), Type.Null()]),
});

export function* showingApplied(
  { revision, items }: Applied,
  options: { readonly isRollback?: boolean } = {},
): Steps<Static<typeof AppliedRules>> {
  const counts = new ChangeCounts();
  const shown = yield* mapping(items, (item) => {
    counts.add(item);
    return itemJson(item);
  });
  return {
    revision,
    summary: counts.summary(),
    items: shown,
    effects: countsEffects(items, options).map((effect: Effect) => ({ ...effect })),
  };
}

export function changeJson({ revision, author, summary, createdAtMs }: ProjectChange) {
  return { revision, author, summary, createdAt: iso(createdAtMs) };
}

export function itemJson({ namespace, exception, before, after }: ChangeItem): Static<typeof Item> {
  return { namespace, exception, before, after };
}
