import { BrumeError } from '../../errors/catalogue.ts';
import { type Identified, identified } from '../../policy/identified.ts';
import { canonicalIdentifier } from '../../policy/identifier.ts';
import type { Rule } from '../../policy/namespace.ts';
import type { Caller } from '../hooks/caller.ts';
import { clientAddress } from '../hooks/client-address.ts';
import { badHeader, headerLines, type RawHeaders, soleHeader } from '../hooks/header-lines.ts';
import type { Peer } from '../hooks/peer.ts';
import type { ProxyTrust } from '../hooks/proxy-trust.ts';
import { normalisedPath } from '../hooks/request-path.ts';

/** What a forward-auth call has to find an identifier in. */
export interface Findings {
  readonly headers: RawHeaders;
  readonly peer: Peer;
  readonly trust: ProxyTrust;
  readonly caller: Caller;
  /** The headers in which this kind of call may carry the original path. */
  readonly pathHeaders: readonly string[];
  /** What came in the URL behind the namespace, with its slash; empty if nothing did. */
  readonly restOfUrl: string;
}

/**
 * The identifier of a forward-auth call, by the namespace's `identifyBy`. Throws BrumeError
 * `bad_request` where it is missing, empty, repeated or said by someone who may not: there is no
 * bucket for those who can't be told apart.
 */
export function foundIdentifier(rule: Rule, findings: Findings): Identified {
  const { identifyBy } = rule;
  switch (identifyBy.by) {
    case 'address':
      // Whatever the kind, which is about identifiers that callers state: nobody gets another bucket by
      // taking another address of their own network.
      return rule.kind === 'ip'
        ? identified(rule, addressOf(findings))
        : { identifier: canonicalIdentifier({ ...rule, kind: 'ip' }, addressOf(findings)) };
    case 'header':
      return namedIdentifier(rule, identifyBy.header, headerText(findings, identifyBy.header));
    case 'path':
      return identified(rule, pathOf(findings));
    case 'key':
      return identified(rule, findings.caller.keyId);
  }
}

function addressOf({ headers, peer, trust }: Findings): string {
  return clientAddress(peer, headerLines(headers, 'x-forwarded-for'), trust);
}

function headerText({ headers, peer }: Findings, name: string): string {
  if (!peer.isTrusted) throw badHeader(name, 'counts only from a trusted proxy');
  const value = soleHeader(headers, name);
  if (value === undefined) throw badHeader(name, 'is needed');
  return utf8Of(value, name);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Node reads headers as latin1; the same name in a JSON body is the same identifier. */
function utf8Of(value: string, name: string): string {
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch (error) {
    throw new BrumeError('bad_request', { field: name, detail: `${name} must be UTF-8.`, cause: error });
  }
}

/** Names the header, where `identified` can only say `identifier`. */
function namedIdentifier(rule: Rule, name: string, value: string): Identified {
  try {
    return identified(rule, value);
  } catch (error) {
    if (!(error instanceof BrumeError)) throw error;
    throw new BrumeError('bad_request', { field: name, detail: error.message.replace(/^identifier/, name) });
  }
}

/**
 * Proxies pass on what the end user sent, so one of these headers may be a forgery beside the real
 * one. Where they disagree nobody can tell which is which.
 */
function pathOf({ headers, peer, pathHeaders, restOfUrl }: Findings): string {
  const [shownName = ''] = pathHeaders;
  if (!peer.isTrusted) throw badHeader(shownName, 'counts only from a trusted proxy');
  const said = pathHeaders
    .map((name) => pathIn(name, soleHeader(headers, name)))
    .filter((path) => path !== undefined);
  if (restOfUrl !== '' && (said.length === 0 || restOfUrl !== '/'))
    said.push(pathIn(shownName, restOfUrl) ?? '/');
  const [path, ...others] = said;
  if (path === undefined) throw badHeader(shownName, 'is needed');
  if (others.some((other) => other !== path))
    throw badHeader(shownName, 'contradicts another source of the path');
  return path;
}

function pathIn(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const path = normalisedPath(text);
  if (path === undefined) throw badHeader(name, 'must be a path');
  return path;
}
