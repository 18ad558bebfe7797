import { fetchJson } from './fetch-json.ts';

/** Where the provider's keys are: as configured, else by its discovery document. */
export interface ProviderLocation {
  readonly issuer: string;
  /** Null: by discovery. */
  readonly jwksUrl: string | null;
}

/**
 * The URL of the provider's keys. By OpenID Connect Discovery 1.0 the document must name the very issuer
 * that it was asked of. Rejects with an Error that says what was wrong.
 */
export async function locateKeys({ issuer, jwksUrl }: ProviderLocation, timeoutMs: number): Promise<string> {
  if (jwksUrl !== null) return jwksUrl;
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = await fetchJson(url, timeoutMs);
  const found: Record<string, unknown> = Object(document);
  if (found.issuer !== issuer) {
    throw new Error(`GET ${url}: its issuer is ${JSON.stringify(found.issuer)}, not BRUME_OIDC_ISSUER`);
  }
  if (typeof found.jwks_uri !== 'string' || !isSafeUrl(found.jwks_uri)) {
    throw new Error(`GET ${url}: its jwks_uri is no https URL`);
  }
  return found.jwks_uri;
}

/** Keys that came over a network in the clear could be anybody's. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isLoopback = /^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}
