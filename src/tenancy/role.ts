/** What a member may do in an organisation; each may what those before it may. */
export const ROLES = ['viewer', 'developer', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** The one that may less. */
export function lesserRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}
