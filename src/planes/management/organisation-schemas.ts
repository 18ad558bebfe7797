import { type Static, Type } from '@fastify/type-provider-typebox';
import type { ManagementToken as StoredToken } from '../../tenancy/management-token.ts';
import type {
  Member as StoredMember,
  Organisation as StoredOrganisation,
} from '../../tenancy/organisation.ts';
import { ROLES, type Role as StoredRole } from '../../tenancy/role.ts';
import type { Tier as StoredTier } from '../../tenancy/tier.ts';
import type { User as StoredUser } from '../../tenancy/user.ts';
import { iso, Name } from './resource-schemas.ts';

/** Organisations, people, tokens and tiers, as the management API shows them. */

const Time = Type.String({ description: 'ISO 8601, UTC' });
const NullableTime = Type.Union([Time, Type.Null()]);

export const Role = Type.Unsafe<StoredRole>({ type: 'string', enum: [...ROLES] });

export const OrganisationParams = Type.Object({ organisation: Type.String() });
export const MemberParams = Type.Object({ organisation: Type.String(), user: Type.String() });
export const TokenParams = Type.Object({ organisation: Type.String(), token: Type.String() });
export const UserParams = Type.Object({ user: Type.String() });
export const TierParams = Type.Object({ tier: Type.String() });

export const NewOrganisation = Type.Object(
  {
    name: Name,
    owner: Type.Optional(
      Type.String({ maxLength: 64, description: 'a user, by login or id; whoever asks when absent' }),
    ),
  },
  { additionalProperties: false },
);

export const RenamedOrganisation = Type.Object({ name: Name }, { additionalProperties: false });

export const Organisation = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});

export const Member = Type.Object({
  userId: Type.String(),
  login: Type.String(),
  role: Role,
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});

export const User = Type.Object({
  id: Type.String(),
  login: Type.String(),
  hasPassword: Type.Boolean(),
  isDisabled: Type.Boolean(),
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});

export const ManagementToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Role,
  prefix: Type.String(),
  madeBy: Type.Union([Type.String({ description: 'the id of a user' }), Type.Null()]),
  createdAt: Time,
  expiresAt: Time,
  revokedAt: NullableTime,
  lastUsedAt: NullableTime,
});

export const CreatedManagementToken = Type.Object({
  ...ManagementToken.properties,
  token: Type.String({ description: 'The secret; shown this once' }),
});

export const NewTier = Type.Object(
  {
    name: Name,
    callsPerDay: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  },
  { additionalProperties: false },
);

export const Tier = Type.Object({
  id: Type.String(),
  name: Type.String(),
  callsPerDay: Type.Integer(),
  version: Type.Integer(),
  createdAt: Time,
  updatedAt: Time,
});

interface Dated {
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

function dates({ createdAtMs, updatedAtMs }: Dated) {
  return { createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs) };
}

export function organisationJson(organisation: StoredOrganisation): Static<typeof Organisation> {
  const { id, name, version } = organisation;
  return { id, name, version, ...dates(organisation) };
}

export function memberJson(member: StoredMember): Static<typeof Member> {
  const { userId, login, role } = member;
  return { userId, login, role, version: member.updatedAtMs, ...dates(member) };
}

export function userJson(user: StoredUser): Static<typeof User> {
  const { id, login, hasPassword, isDisabled } = user;
  return { id, login, hasPassword, isDisabled, version: user.updatedAtMs, ...dates(user) };
}

export function tokenJson(token: StoredToken): Static<typeof ManagementToken> {
  const { id, name, role, prefix, madeBy, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = token;
  return {
    id,
    name,
    role,
    prefix,
    madeBy,
    createdAt: iso(createdAtMs),
    expiresAt: iso(expiresAtMs),
    revokedAt: isoOrNull(revokedAtMs),
    lastUsedAt: isoOrNull(lastUsedAtMs),
  };
}

export function tierJson(tier: StoredTier): Static<typeof Tier> {
  const { id, name, callsPerDay, version } = tier;
  return { id, name, callsPerDay, version, ...dates(tier) };
}

function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : iso(epochMs);
}
