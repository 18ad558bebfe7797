/** The only audience whose tokens the management plane takes. */
export const CONSOLE_AUDIENCE = 'brume-control';
/** Issuer of the tokens of Brume's own sign-in. */
export const OWN_ISSUER = 'brume';

/** A session as its token names it. */
export interface SessionClaims {
  readonly sessionId: string;
  readonly userId: string;
}

/** Who signed in somewhere else. */
export interface ProviderClaims {
  readonly issuer: string;
  readonly subject: string;
}

/** The port that issues the tokens of Brume's own sign-in. */
export interface SessionTokens {
  issue(claims: SessionClaims & { readonly expiresAtMs: number }): Promise<string>;
}

/**
 * Of a token that is genuine, for us and good now. A session's token proves nothing unless the session
 * is alive, and a provider's nothing unless somebody here is linked to it.
 */
export type ConsoleClaims =
  | { readonly by: 'session'; readonly session: SessionClaims }
  | { readonly by: 'provider'; readonly provider: ProviderClaims };

/**
 * The port that verifies tokens. Rejects with BrumeError `provider_unavailable` if none of the
 * provider's keys is known and it can't be asked.
 */
export interface ConsoleTokens {
  /** Undefined: the token proves nothing. */
  verify(token: string): Promise<ConsoleClaims | undefined>;
}
