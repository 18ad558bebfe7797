import { hkdfSync } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import {
  CONSOLE_AUDIENCE,
  OWN_ISSUER,
  type SessionClaims,
  type SessionTokens,
} from '../tenancy/identity/console-tokens.ts';

const ALGORITHM = 'HS256';
const KEY_BYTES = 32;
/** Another label is another key: tokens under the old one are worth nothing then. */
const LABEL = 'brume console session v1';

export interface TokenClock {
  readonly clock: { nowMs(): number };
  readonly clockToleranceMs: number;
}

/**
 * JWTs (RFC 7519) of Brume's own sign-in, under a key derived (HKDF, RFC 5869) from the installation's
 * secret: all nodes agree on it, and so does a restored backup.
 */
export class HmacSessionTokens implements SessionTokens {
  readonly #key: Uint8Array;
  readonly #time: TokenClock;

  constructor(installationSecret: Uint8Array, time: TokenClock) {
    this.#key = new Uint8Array(hkdfSync('sha256', installationSecret, '', LABEL, KEY_BYTES));
    this.#time = time;
  }

  issue({ sessionId, userId, expiresAtMs }: SessionClaims & { expiresAtMs: number }): Promise<string> {
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(OWN_ISSUER)
      .setAudience(CONSOLE_AUDIENCE)
      .setSubject(userId)
      .setIssuedAt(seconds(this.#time.clock.nowMs()))
      .setExpirationTime(seconds(expiresAtMs))
      .sign(this.#key);
  }

  /** Undefined if it isn't a token that this installation issued and that is good now. */
  async verify(token: string): Promise<SessionClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: [ALGORITHM],
        issuer: OWN_ISSUER,
        audience: CONSOLE_AUDIENCE,
        requiredClaims: ['exp', 'sub', 'sid'],
        ...timeOptions(this.#time),
      });
      const { sub: userId, sid: sessionId } = payload;
      return typeof userId === 'string' && typeof sessionId === 'string' ? { userId, sessionId } : undefined;
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }
}

/** What jose needs to judge `exp` and `nbf`. */
export function timeOptions({ clock, clockToleranceMs }: TokenClock) {
  return { currentDate: new Date(clock.nowMs()), clockTolerance: clockToleranceMs / 1000 };
}

/** Whatever comes in a header may be no token at all; anything else is a fault of ours. */
export function isRefusal(error: unknown): boolean {
  return error instanceof errors.JOSEError || error instanceof TypeError;
}

function seconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}
