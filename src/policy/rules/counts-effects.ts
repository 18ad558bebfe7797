import type { Limit } from '../../limiter/limit.ts';
import { parseRule } from '../rule-input.ts';
import type { RuleJson } from '../rule-schema.ts';
import { canonicalJson } from './canonical-json.ts';
import type { NamespaceItemJson } from './change-items.ts';
import type { ChangeItem } from './rules-store.ts';

/**
 * What a change means for counts in use. `kept`: what was used stays used. `afresh`: counts begin at 0.
 * `forgotten`: they are gone. `uncounted`: nothing is counted there any more. `renamed`: identifiers are
 * counted under other names, so they begin at 0 under these. `new`: nothing was counted before.
 */
type CountsEffect = 'kept' | 'afresh' | 'forgotten' | 'uncounted' | 'renamed' | 'new';

export interface Effect {
  readonly namespace: string;
  /** Name of a limit or quota; null where it concerns all of the namespace. */
  readonly limit: string | null;
  readonly effect: CountsEffect;
  /** A clause: `counts begin at 0: its window has changed`. */
  readonly text: string;
}

/** What the items of a change mean for counts; what is said of single identifiers has no counts of its own. */
export function countsEffects(
  items: Iterable<ChangeItem>,
  options: { readonly isRollback?: boolean } = {},
): Effect[] {
  const effects: Effect[] = [];
  for (const { namespace, exception, before, after } of items) {
    if (exception !== null) continue;
    const told = effectsOf(ruleOf(before), ruleOf(after), options);
    effects.push(...told.map((effect) => ({ namespace, ...effect })));
  }
  return effects;
}

type Told = Omit<Effect, 'namespace'>;

function effectsOf(
  before: RuleJson | undefined,
  after: RuleJson | undefined,
  { isRollback = false }: { readonly isRollback?: boolean },
): Told[] {
  if (after === undefined) return [REMOVED];
  if (before === undefined) return [isRollback ? RETURNED : CREATED];
  return [...renamings(before, after), ...limitEffects(before, after)];
}

const CREATED: Told = { limit: null, effect: 'new', text: 'counts begin at 0' };
const REMOVED: Told = {
  limit: null,
  effect: 'uncounted',
  text: 'checks of it are refused (unknown_namespace); its counts return with a rollback, as far as their time is not over',
};
const RETURNED: Told = {
  limit: null,
  effect: 'kept',
  text: 'it returns with the counts that it had, as far as their time is not over',
};

/** Where an identifier is counted under another name than before. */
function renamings(before: RuleJson, after: RuleJson): Told[] {
  const renamed = (text: string): Told => ({ limit: null, effect: 'renamed', text });
  const told: Told[] = [];
  if (before.kind !== after.kind) {
    told.push(
      renamed(
        after.kind === 'ip'
          ? `identifiers must be addresses from now on; those of IPv6 are counted by /${after.ipv6Prefix} and begin at 0`
          : 'any text is an identifier from now on; addresses of IPv6 are counted whole and begin at 0',
      ),
    );
  } else if (after.ipv6Prefix !== before.ipv6Prefix) {
    const whose = after.kind === 'ip' ? '' : ' that forward-auth calls find';
    const text = `addresses of IPv6${whose} are counted by /${after.ipv6Prefix} instead of /${before.ipv6Prefix} and begin at 0`;
    told.push(renamed(text));
  }
  if (after.identifyBy !== before.identifyBy) {
    const text = `forward-auth calls identify by ${after.identifyBy} instead of ${before.identifyBy}: whom they find is counted under other names`;
    told.push(renamed(text));
  }
  return told;
}

function limitEffects(before: RuleJson, after: RuleJson): Told[] {
  const was = countedBy(before);
  const is = countedBy(after);
  const names = new Set([...was.keys(), ...is.keys()]);
  return [...names].flatMap((name): Told[] => {
    const [old, now] = [was.get(name), is.get(name)];
    if (old === undefined) return [{ limit: name, effect: 'new', text: 'counts begin at 0' }];
    if (now === undefined) return [goneEffect(name, after)];
    if (!countsAlike(old, now)) {
      const text = `counts begin at 0: what is counted by has changed (${differences(name, before, after)})`;
      return [{ limit: name, effect: 'afresh', text }];
    }
    const isSame = canonicalJson(jsonOf(name, before)) === canonicalJson(jsonOf(name, after));
    return isSame && before.mode === after.mode
      ? []
      : [{ limit: name, effect: 'kept', text: 'what was used stays used' }];
  });
}

function goneEffect(name: string, after: RuleJson): Told {
  return jsonOf(name, after) === undefined
    ? { limit: name, effect: 'forgotten', text: 'what was used is forgotten' }
    : {
        limit: name,
        effect: 'uncounted',
        text: 'is off: nothing is counted, and what was used is forgotten',
      };
}

/** Limits as they are counted by; those that are off are not. */
function countedBy(json: RuleJson): ReadonlyMap<string, Limit> {
  return new Map(parseRule(json).limits.map((limit) => [limit.name, limit]));
}

/** Leases belong to the identifier, whatever their time to live. */
function countsAlike(left: Limit, right: Limit): boolean {
  return left.algorithm === right.algorithm && left.identity === right.identity;
}

function jsonOf(name: string, { limits = [], quotas = [] }: RuleJson): object | undefined {
  return [...limits, ...quotas].find((limit) => limit.name === name);
}

const COUNTED_BY = ['algorithm', 'windowMs', 'period', 'timeZone', 'anchor'] as const;

/** `algorithm, window` */
function differences(name: string, before: RuleJson, after: RuleJson): string {
  const [old, now] = [jsonOf(name, before) ?? {}, jsonOf(name, after) ?? {}];
  const differing = COUNTED_BY.filter(
    (member) =>
      canonicalJson(Reflect.get(old, member) ?? null) !== canonicalJson(Reflect.get(now, member) ?? null),
  );
  return differing.map((member) => member.replace('windowMs', 'window')).join(', ');
}

function ruleOf(json: unknown): RuleJson | undefined {
  return json === null ? undefined : (json as NamespaceItemJson).rule;
}
