import type { Config } from '../config/config.ts';
import { Argon2Passwords } from '../identity/argon2-passwords.ts';
import { OidcTokens } from '../identity/oidc-tokens.ts';
import { ProviderKeys } from '../identity/provider-keys.ts';
import { HmacSessionTokens } from '../identity/session-tokens.ts';
import { VerifiedTokens } from '../identity/verified-tokens.ts';
import type { Clock } from '../limiter/clock.ts';
import type { Identify } from '../planes/hooks/identification.ts';
import { peerReader } from '../planes/hooks/peer.ts';
import { proxyTrust } from '../planes/hooks/proxy-trust.ts';
import { addressReader } from '../planes/hooks/recorded-address.ts';
import { identifyAny } from '../planes/management/identity/identify-any.ts';
import { identifyConsole } from '../planes/management/identity/identify-console.ts';
import { SignIn } from '../planes/management/identity/sign-in.ts';
import { SignInThrottle } from '../planes/management/identity/sign-in-throttle.ts';
import { identifyToken } from '../planes/management/token-identity.ts';
import type { Logger } from '../telemetry/log.ts';
import { Seldom } from '../telemetry/seldom.ts';
import type { SignInWatch } from '../tenancy/identity/refused-sign-ins.ts';
import type { ManagementTokenStore } from '../tenancy/management-token.ts';
import type { OrganisationStore } from '../tenancy/organisation.ts';
import type { UserStore } from '../tenancy/user.ts';
import { managementUrlOf } from './management-url.ts';

export interface ConsoleIdentityParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The installation's, of which the key of sessions is derived. */
  readonly identifierSecret: Uint8Array;
  readonly users: UserStore;
  readonly organisations: OrganisationStore;
  readonly tokens: ManagementTokenStore;
  readonly signInWatch: SignInWatch;
}

export interface ConsoleIdentity {
  readonly identify: Identify;
  readonly signIn: SignIn;
  /** Where people reach the management plane. */
  readonly managementUrl: string;
}

/** How people and programs prove who they are on the management plane. */
export function consoleIdentity(config: Config, parts: ConsoleIdentityParts): ConsoleIdentity {
  const { clock, identifierSecret, users, organisations, tokens, signInWatch: watch } = parts;
  const { clockToleranceMs, sessionMs } = config;
  const trust = proxyTrust(config.trustedProxies);
  const addressOf = addressReader({ trust, peerOf: peerReader(trust) });
  const sessionTokens = new HmacSessionTokens(identifierSecret, { clock, clockToleranceMs });
  const jwts = new VerifiedTokens(sessionTokens, oidcTokens(config, parts));
  return {
    managementUrl: managementUrlOf(config),
    identify: identifyAny(
      identifyToken({ tokens, organisations, clock, addressOf }),
      identifyConsole({ tokens: jwts, users, organisations, addressOf }),
    ),
    signIn: new SignIn({
      users,
      passwords: new Argon2Passwords(),
      sessionTokens,
      throttle: new SignInThrottle(clock),
      watch,
      clock,
      sessionMs,
    }),
  };
}

/** Undefined: no provider is configured. */
function oidcTokens(config: Config, { clock, log }: ConsoleIdentityParts): OidcTokens | undefined {
  const { oidcIssuer: issuer, oidcJwksUrl: jwksUrl, clockToleranceMs } = config;
  if (issuer === null) return undefined;
  const seldom = new Seldom(clock);
  const onFault = (err: unknown): void =>
    seldom.run('provider', (suppressed) =>
      log.error({ err, ...(suppressed > 0 && { suppressed }) }, 'the identity provider could not be asked'),
    );
  return new OidcTokens({
    issuer,
    algorithms: config.oidcAlgorithms,
    clock,
    clockToleranceMs,
    keys: new ProviderKeys({ issuer, jwksUrl }, { clock, onFault }),
  });
}
