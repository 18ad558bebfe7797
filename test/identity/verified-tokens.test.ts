import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { OidcTokens } from '../../src/identity/oidc-tokens.ts';
import { ProviderKeys } from '../../src/identity/provider-keys.ts';
import { HmacSessionTokens } from '../../src/identity/session-tokens.ts';
import { VerifiedTokens } from '../../src/identity/verified-tokens.ts';
import { ManualTime } from '../support/manual-time.ts';
import { forgedTokens, type Minting, misjudgedTokens } from './forged-tokens.ts';
import { oidcProvider, signingKey } from './oidc-provider.ts';

async function start(t: TestContext) {
  const key = await signingKey('one');
  const provider = await oidcProvider(t, [key]);
  const time = new ManualTime();
  const timing = { clock: time, clockToleranceMs: 30_000 };
  const { issuer } = provider;
  const oidc = new OidcTokens({
    issuer,
    algorithms: ['RS256', 'ES256', 'EdDSA', 'PS256'],
    keys: new ProviderKeys({ issuer, jwksUrl: null }, { clock: time, onFault: () => undefined }),
    ...timing,
  });
  const sessions = new HmacSessionTokens(Buffer.alloc(32, 7), timing);
  const nowS = time.nowMs() / 1000;
  const minting: Minting = {
    claims: { iss: issuer, sub: 'anna', aud: 'brume-control', exp: nowS + 600 },
    sign: (claims, header) =>
      provider.sign(key, { iss: undefined, sub: undefined, aud: undefined, ...claims }, header),
    nowS,
    toleranceS: 30,
  };
  return { key, provider, sessions, tokens: new VerifiedTokens(sessions, oidc), minting, time };
}

test('B54: of all tokens with a wrong claim none is taken', async (t) => {
  const { tokens, minting } = await start(t);
  for (const [what, token] of await misjudgedTokens(minting)) {
    assert.equal(await tokens.verify(token), undefined, what);
  }
});

test('B54: of all forged tokens none is taken, and no place in them is asked for keys', async (t) => {
  const { tokens, minting, key, provider } = await start(t);
  for (const [what, token] of await forgedTokens(minting, key)) {
    assert.equal(await tokens.verify(token), undefined, what);
  }
  assert.deepEqual(new Set(provider.asked), new Set(['/.well-known/openid-configuration', '/keys']));
});

test('B54: our audience is taken as a text, and among others', async (t) => {
  const { tokens, minting, provider } = await start(t);
  const { claims, sign, nowS } = minting;
  for (const changes of [
    {},
    { aud: ['brume-control'] },
    { aud: ['a', 'brume-control', 'b'] },
    { exp: nowS - 29 },
    { nbf: nowS + 30 },
  ]) {
    const found = await tokens.verify(await sign({ ...claims, ...changes }));
    assert.deepEqual(found, { by: 'provider', provider: { issuer: provider.issuer, subject: 'anna' } });
  }
});

test('B54: two tokens that alternate never show each other, 200 times, one after the other and at once', async (t) => {
  const { tokens, minting } = await start(t);
  const { claims, sign } = minting;
  const own = await Promise.all(['anna', 'bert'].map((sub) => sign({ ...claims, sub })));
  const subject = async (at: number) => {
    const found = await tokens.verify(own[at % 2] ?? '');
    return found?.by === 'provider' ? found.provider.subject : undefined;
  };
  for (let at = 0; at < 200; at++) assert.equal(await subject(at), ['anna', 'bert'][at % 2]);
  const atOnce = await Promise.all(Array.from({ length: 200 }, (_, at) => subject(at)));
  assert.deepEqual(
    atOnce,
    Array.from({ length: 200 }, (_, at) => ['anna', 'bert'][at % 2]),
  );
});

test('neither issuer can speak for the other, and without a provider nobody speaks for it', async (t) => {
  const { tokens, minting, sessions, time } = await start(t);
  const { claims, sign } = minting;
  assert.equal(await tokens.verify(await sign({ ...claims, iss: 'brume', sid: 'ses_1' })), undefined);
  const own = await sessions.issue({
    sessionId: 'ses_1',
    userId: 'usr_1',
    expiresAtMs: time.nowMs() + 600_000,
  });
  assert.equal((await tokens.verify(own))?.by, 'session');
  assert.equal(await new VerifiedTokens(sessions, undefined).verify(await sign(claims)), undefined);
});
