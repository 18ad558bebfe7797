import { jwtVerify } from 'jose';
import { CONSOLE_AUDIENCE, type ProviderClaims } from '../tenancy/identity/console-tokens.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { isRefusal, type TokenClock, timeOptions } from './session-tokens.ts';

export interface OidcTokensOptions extends TokenClock {
  readonly issuer: string;
  /** Asymmetric ones only; the configuration refuses all others. */
  readonly algorithms: readonly string[];
  readonly keys: Pick<ProviderKeys, 'find'>;
}

/** JWTs of an OIDC provider: what issuer, audience and algorithm must be is ours to say, not the token's. */
export class OidcTokens {
  readonly issuer: string;
  readonly #options: OidcTokensOptions;

  constructor(options: OidcTokensOptions) {
    this.issuer = options.issuer;
    this.#options = options;
  }

  /** Undefined if it isn't a token of the provider, for us, and good now. Rejects as ConsoleTokens does. */
  async verify(token: string): Promise<ProviderClaims | undefined> {
    const { issuer, algorithms, keys } = this.#options;
    try {
      const { payload } = await jwtVerify(token, (header, jws) => keys.find(header, jws), {
        algorithms: [...algorithms],
        issuer,
        audience: CONSOLE_AUDIENCE,
        requiredClaims: ['exp', 'sub'],
        ...timeOptions(this.#options),
      });
      const { sub: subject } = payload;
      return isSubject(subject) ? { issuer, subject } : undefined;
    } catch (error) {
      // A key that can't be imported (DOMException) is the provider's fault and no reason for a 500.
      if (isRefusal(error) || error instanceof DOMException) return undefined;
      throw error;
    }
  }
}

/** OpenID Connect: at most 255 characters of ASCII. */
function isSubject(subject: unknown): subject is string {
  return typeof subject === 'string' && /^[\x20-\x7e]{1,255}$/.test(subject);
}
