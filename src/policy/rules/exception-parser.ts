import { parseOverrides } from '../exceptions/limit-override-input.ts';
import { parseMatch } from '../exceptions/match.ts';
import type { Rule } from '../namespace.ts';
import { badMember } from '../schema-fault.ts';
import { parseTime, TIME_WORDS } from '../time-text.ts';
import type { ExceptionRules } from './project-rules.ts';
import type { FileExceptionJson } from './rules-schema.ts';

export type ParseException = (entry: FileExceptionJson) => ExceptionRules;

/**
 * Parses entries that meet the schema, as `parseException` would. Of many overrides most say the same
 * of the limits: what has been checked against the rule isn't checked again.
 */
export function exceptionParser(rule: Rule): ParseException {
  const known = new Map<string, ExceptionRules['limits']>();
  const limitsOf = (limits: FileExceptionJson['limits']): ExceptionRules['limits'] => {
    if (limits === undefined) return null;
    const text = JSON.stringify(limits);
    const parsed = known.get(text) ?? parseOverrides(limits, rule, 'limits');
    known.set(text, parsed);
    return parsed;
  };
  return ({ match: written, limits, reason = '', until, expiresAt = until }) => {
    const { form, match } = parseMatch(rule.kind, written);
    if (!reason.isWellFormed()) throw badMember('reason', 'must be valid Unicode, without lone surrogates');
    const expiresAtMs = expiresAt === undefined ? null : parseTime(expiresAt);
    if (expiresAtMs === undefined) throw badMember('expiresAt', `must be ${TIME_WORDS}`);
    return { form, match, limits: limitsOf(limits), reason, expiresAtMs };
  };
}
