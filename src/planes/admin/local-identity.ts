import type { FastifyRequest } from 'fastify';
import { localPrincipal, type Principal } from '../../tenancy/principal.ts';
import { AUTHOR_HEADER, authorOf } from '../hooks/author.ts';

/** On the admin socket the permissions of its file have decided already who may ask. */
export async function identifyLocal({ headers, id }: FastifyRequest): Promise<Principal> {
  return localPrincipal({ name: authorOf(headers[AUTHOR_HEADER]), address: null, requestId: id });
}
