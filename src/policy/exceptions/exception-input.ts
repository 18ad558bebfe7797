import { BrumeError } from '../../errors/catalogue.ts';
import type { Rule } from '../namespace.ts';
import { assertSchema, badMember, memberOf } from '../schema-fault.ts';
import { parseTime, TIME_WORDS } from '../time-text.ts';
import { blockOrExemptionJson, type ExceptionJson, overrideJson } from './exception-schema.ts';
import { parseOverrides } from './limit-override-input.ts';
import { parseMatch } from './match.ts';
import type { ExceptionKind, NewException } from './rule-exception.ts';

export interface ExceptionContext {
  readonly kind: ExceptionKind;
  /** Of the namespace. */
  readonly rule: Rule;
  /** An `expiresAt` must lie after it. Left out, one that has passed is taken too. */
  readonly nowMs?: number | undefined;
  /** Stands before the members' names in messages: `blocks[3]`. Left out: `match`, `limits[0].name`. */
  readonly at?: string;
}

/**
 * Checks the JSON of a block, an exemption or an override, and makes it canonical: two that mean the
 * same are equal. Throws BrumeError `bad_request` that names the member at fault: `limits[0].burst`.
 */
export function parseException(input: unknown, context: ExceptionContext): NewException {
  const { kind, rule, nowMs, at = '' } = context;
  assertExceptionJson(input, kind, at);
  const { form, match } = parseMatch(rule.kind, input.match, memberOf(at, 'match'));
  const limits =
    input.limits === undefined ? null : parseOverrides(input.limits, rule, memberOf(at, 'limits'));
  const reason = input.reason ?? '';
  if (!reason.isWellFormed()) {
    throw badMember(memberOf(at, 'reason'), 'must be valid Unicode, without lone surrogates');
  }
  const expiresAtMs = parseEnd(input.expiresAt ?? null, nowMs, memberOf(at, 'expiresAt'));
  return Object.freeze({ kind, form, match, limits, reason, expiresAtMs });
}

function assertExceptionJson(
  input: unknown,
  kind: ExceptionKind,
  at: string,
): asserts input is ExceptionJson {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    const detail = `${at === '' ? 'The body' : at} must be an object with match.`;
    throw new BrumeError('bad_request', at === '' ? { detail } : { field: at, detail });
  }
  if (kind !== 'override' && 'limits' in input) {
    throw badMember(memberOf(at, 'limits'), `is for an override; ${NO_LIMITS[kind]}`);
  }
  assertSchema(kind === 'override' ? overrideJson : blockOrExemptionJson, input, at);
}

const NO_LIMITS = {
  block: 'a block denies whatever the limits say',
  exemption: 'an exemption allows whatever the limits say',
} as const;

function parseEnd(text: string | null, nowMs: number | undefined, at: string): number | null {
  if (text === null) return null;
  const endMs = parseTime(text);
  if (endMs === undefined) throw badMember(at, `must be ${TIME_WORDS}, or null for one without end`);
  if (nowMs !== undefined && endMs <= nowMs) throw badMember(at, 'must be in the future');
  return endMs;
}
