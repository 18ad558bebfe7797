import type { Identify } from '../../hooks/identification.ts';

/** The first that knows who asks. */
export function identifyAny(...ways: readonly Identify[]): Identify {
  return async (request) => {
    for (const identify of ways) {
      const principal = await identify(request);
      if (principal !== undefined) return principal;
    }
    return undefined;
  };
}
