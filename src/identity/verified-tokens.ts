import { decodeJwt, errors } from 'jose';
import { type ConsoleClaims, type ConsoleTokens, OWN_ISSUER } from '../tenancy/identity/console-tokens.ts';
import type { OidcTokens } from './oidc-tokens.ts';
import type { HmacSessionTokens } from './session-tokens.ts';

/**
 * Hands each token to the one who can verify it, by the issuer that it names. Nothing is kept between
 * two calls: a verification costs less than a mix-up.
 */
export class VerifiedTokens implements ConsoleTokens {
  readonly #sessions: Pick<HmacSessionTokens, 'verify'>;
  readonly #provider: Pick<OidcTokens, 'issuer' | 'verify'> | undefined;

  /** `provider` undefined: none is configured. */
  constructor(
    sessions: Pick<HmacSessionTokens, 'verify'>,
    provider: Pick<OidcTokens, 'issuer' | 'verify'> | undefined,
  ) {
    this.#sessions = sessions;
    this.#provider = provider;
  }

  async verify(token: string): Promise<ConsoleClaims | undefined> {
    const issuer = namedIssuer(token);
    if (issuer === OWN_ISSUER) {
      const session = await this.#sessions.verify(token);
      return session && { by: 'session', session };
    }
    if (issuer !== this.#provider?.issuer) return undefined;
    const provider = await this.#provider?.verify(token);
    return provider && { by: 'provider', provider };
  }
}

/** Unverified, and only to choose by. An issuer that is no text, or several, is nobody's. */
function namedIssuer(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
