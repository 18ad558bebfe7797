import { METHODS } from 'node:http';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Limiter } from '../../limiter/limiter.ts';
import type { Verdict } from '../../limiter/verdict.ts';
import type { PolicySnapshot } from '../../policy/namespace.ts';
import { callerOf } from '../hooks/authentication.ts';
import type { Peer } from '../hooks/peer.ts';
import { presentedProxyKey } from '../hooks/presented-key.ts';
import { PROBLEM_ANSWERS } from '../hooks/problem.ts';
import type { ProxyTrust } from '../hooks/proxy-trust.ts';
import { foundIdentifier } from './found-identifier.ts';
import { knownNamespace } from './known-namespace.ts';
import { proxyCost } from './proxy-cost.ts';
import type { LogRefusal } from './refusal-log.ts';
import type { HeaderSwitches } from './verdict-headers.ts';

/** What the two forward-auth calls have in common. */
export interface ForwardAuthOptions {
  readonly limiter: Limiter;
  readonly snapshot: PolicySnapshot;
  readonly trust: ProxyTrust;
  readonly peerOf: (socket: FastifyRequest['socket']) => Peer;
  readonly headers: HeaderSwitches;
  readonly logRefusal: LogRefusal;
}

/** Everything that Node takes for a request; CONNECT never arrives as one. */
const ANY_METHOD: readonly string[] = METHODS.filter((method) => method !== 'CONNECT');

const FORWARD_AUTH_CONFIG = {
  isPublic: false,
  isForwardAuth: true,
  scope: 'limit',
  timeoutMs: 5000,
  presentedKey: presentedProxyKey,
} as const;

/** One forward-auth call, in any method and with anything behind the namespace; what it refuses is logged. */
export function addForwardAuthCall(
  app: FastifyInstance,
  prefix: string,
  { logRefusal }: ForwardAuthOptions,
  answer: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.addHook('onError', async function noteRefusal(request, _reply, fault) {
    logRefusal(request, fault);
  });
  for (const url of [`${prefix}:namespace`, `${prefix}:namespace/*`]) {
    app.route({
      method: [...ANY_METHOD],
      url,
      schema: { response: { 200: Type.Null(), ...PROBLEM_ANSWERS } },
      config: FORWARD_AUTH_CONFIG,
      handler: answer,
    });
  }
}

/** Judges the request that a proxy asks about. Nothing of it counts that the proxy did not set. */
export async function judgeForwardAuth(
  { limiter, snapshot, trust, peerOf }: ForwardAuthOptions,
  request: FastifyRequest,
  pathHeaders: readonly string[],
): Promise<Verdict> {
  const caller = callerOf(request);
  const headers = request.raw.rawHeaders;
  const cost = proxyCost(headers);
  const namespace = knownNamespace(snapshot, caller.projectId, namespaceName(request));
  const who = foundIdentifier(namespace.rule, {
    headers,
    peer: peerOf(request.socket),
    trust,
    caller,
    pathHeaders,
    restOfUrl: restOfUrl(request.raw.url ?? ''),
  });
  const verdict = await limiter.judge({ namespace, ...who, cost, peek: false, keyId: caller.keyId });
  request.verdict = verdict;
  return verdict;
}

function namespaceName({ params }: FastifyRequest): string {
  const { namespace } = params as { namespace: string };
  return namespace;
}

/** `/v1/auth/KIND/NAMESPACE` and then, as it came, what follows. */
function restOfUrl(url: string): string {
  return /^\/v1\/auth\/[^/]*\/[^/?#]*(\/.*)?$/s.exec(url)?.[1] ?? '';
}
