import { fullAddress } from './address.ts';
import { canonicalIdentifier } from './identifier.ts';
import type { Rule } from './namespace.ts';

/** Who is limited. */
export interface Identified {
  /** What is counted by. */
  readonly identifier: string;
  /** What exceptions are matched on, where it isn't the identifier: an IPv6 address before it was cut. */
  readonly subject?: string;
}

/** Throws BrumeError `bad_request` with field `identifier`. */
export function identified(rule: Pick<Rule, 'kind' | 'ipv6Prefix'>, raw: unknown): Identified {
  const identifier = canonicalIdentifier(rule, raw);
  const isCut = rule.kind === 'ip' && identifier.includes('/');
  const subject = isCut ? fullAddress(String(raw)) : undefined;
  return subject === undefined ? { identifier } : { identifier, subject };
}
