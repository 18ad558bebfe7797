import { algorithmList } from '../kinds/algorithm-list.ts';
import { integer } from '../kinds/integer.ts';
import { webUrl } from '../kinds/web-url.ts';
import type { Options } from '../option.ts';

export const IDENTITY = {
  BRUME_MANAGEMENT_URL: {
    description:
      "Where people reach the management plane with a browser, for the links of invitations. Not set: as BRUME_MANAGEMENT_LISTEN and BRUME_MANAGEMENT_TLS_CERT say; where it listens on every address, by the machine's name.",
    kind: webUrl({ mayBeClear: true }),
    default: null,
    example: 'https://brume.example.org',
  },
  BRUME_SESSION_MS: {
    description: "How long somebody who signed in with Brume's own password stays signed in.",
    kind: integer({ unit: 'milliseconds', minimum: 60_000, maximum: 2_592_000_000 }),
    default: '43200000',
    example: '43200000',
  },
  BRUME_CLOCK_TOLERANCE_MS: {
    description:
      'By how much the clock of whoever issued a token may differ from this one when its begin and end are judged. A session ends at its end all the same.',
    kind: integer({ unit: 'milliseconds', minimum: 0, maximum: 300_000 }),
    default: '30000',
    example: '30000',
  },
  BRUME_OIDC_ISSUER: {
    description:
      'Issuer of an OpenID Connect provider whose tokens the management plane takes too, exactly as it stands in them. Whoever comes by it must be linked to a user: docs/sign-in.md.',
    kind: webUrl(),
    default: null,
    example: 'https://id.example.org/realms/staff',
  },
  BRUME_OIDC_JWKS_URL: {
    description:
      "Where the provider's public keys are. Not set: as its discovery document says, at ISSUER/.well-known/openid-configuration.",
    kind: webUrl(),
    default: null,
    example: 'https://id.example.org/realms/staff/keys',
  },
  BRUME_OIDC_ALGORITHMS: {
    description:
      'Algorithms by which the provider may sign. Those with a shared secret (HS256 and its kin) and none at all are refused.',
    kind: algorithmList(),
    default: 'RS256,ES256,EdDSA,PS256',
    example: 'RS256',
  },
} as const satisfies Options;
