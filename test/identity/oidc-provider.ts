import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export async function signingKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }, privateKey, publicKey };
}

export interface OidcProvider {
  readonly issuer: string;
  /** What was asked for, in order. */
  readonly asked: string[];
  /** What it publishes; to be changed by the test. */
  keys: readonly unknown[];
  /** Answers 503 to everything. */
  isAway: boolean;
  /** Takes connections and answers nothing. */
  isHanging: boolean;
  /** Cuts off who waits for an answer, once somebody does. */
  letGo(): Promise<void>;
  /** Members of the discovery document that replace the right ones. */
  discovery: Readonly<Record<string, unknown>>;
  sign(key: SigningKey, claims?: Record<string, unknown>, header?: Record<string, unknown>): Promise<string>;
}

/** An OIDC provider on loopback: its discovery document, its keys, and tokens that it signs. */
export async function oidcProvider(
  t: Pick<TestContext, 'after'>,
  keys: readonly SigningKey[],
): Promise<OidcProvider> {
  const hanging: ServerResponse[] = [];
  const server = createServer((request, response) => {
    const { url = '' } = request;
    provider.asked.push(url);
    if (provider.isHanging) {
      hanging.push(response);
      return;
    }
    const isDiscovery = url === '/.well-known/openid-configuration';
    const document = isDiscovery
      ? { issuer: provider.issuer, jwks_uri: `${provider.issuer}/keys`, ...provider.discovery }
      : { keys: provider.keys };
    response.writeHead(provider.isAway ? 503 : 200).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const provider: OidcProvider = {
    issuer: `http://127.0.0.1:${port}`,
    asked: [],
    keys: keys.map(({ jwk }) => jwk),
    isAway: false,
    isHanging: false,
    letGo: async () => {
      while (hanging.length === 0) await new Promise((resolve) => setImmediate(resolve));
      for (const response of hanging.splice(0)) response.destroy();
    },
    discovery: {},
    sign: (key, claims = {}, header = {}) =>
      new SignJWT({ iss: provider.issuer, sub: 'anna', aud: 'brume-control', ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
        .sign(key.privateKey),
  };
  return provider;
}
