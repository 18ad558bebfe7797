import type { FastifyRequest } from 'fastify';
import type { MemberWriter } from '../../tenancy/member-rules.ts';
import { principalOf } from '../hooks/identification.ts';

/** Whose role the change itself asks for; undefined: the machine's administrator, who may do everything. */
export function writerOf(request: FastifyRequest): MemberWriter | undefined {
  const { isLocal, userId, tokenId } = principalOf(request);
  return isLocal ? undefined : { userId, tokenId };
}
