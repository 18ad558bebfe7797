import type { RouteOptions } from 'fastify';

/** OpenAPI's link objects by name. */
export type AnswerLinks = Readonly<Record<string, object>>;

/** The members of an answer that name what was made, by the parameter of the paths under it. */
const NAMING_MEMBERS: Readonly<Record<string, string>> = { namespace: 'name' };
/** Of answers that give a verdict, and what was granted with it. */
const GRANTED_MEMBERS: Readonly<Record<string, string>> = {
  '/v1/leases': 'lease/id',
  '/v1/reservations': 'reservation/id',
};

/**
 * What can be called next with the id that a POST has answered with: the paths under its own that
 * need nothing else.
 */
export function answerLinks(
  url: string,
  routes: readonly RouteOptions[],
  operationIdOf: (method: string, url: string) => string,
): AnswerLinks {
  const links: Record<string, object> = {};
  for (const { method: methods, url: next } of routes) {
    const method = [methods].flat()[0];
    const parameter = parameterUnder(url, next);
    if (parameter === undefined || method === undefined || method === 'HEAD') continue;
    const given = [...url.matchAll(/:([a-z]+)/g)].map(([, name = '']) => [name, `$request.path.${name}`]);
    const member = GRANTED_MEMBERS[url] ?? NAMING_MEMBERS[parameter] ?? 'id';
    const operationId = operationIdOf(method, next);
    links[operationId] = {
      operationId,
      parameters: { ...Object.fromEntries(given), [parameter]: `$response.body#/${member}` },
    };
  }
  return links;
}

/** `id` of `/v1/leases/:id/…` under `/v1/leases`, unless more parameters follow. */
function parameterUnder(url: string, next: string): string | undefined {
  if (!next.startsWith(`${url}/:`)) return undefined;
  return /^:([a-z]+)(\/[a-z/]+)?$/.exec(next.slice(url.length + 1))?.[1];
}
