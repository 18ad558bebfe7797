import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { OidcTokens } from '../../src/identity/oidc-tokens.ts';
import { ASK_AT_MOST_EVERY_MS, KEYS_MAX_AGE_MS, ProviderKeys } from '../../src/identity/provider-keys.ts';
import { brumeError } from '../support/brume-error.ts';
import { ManualTime } from '../support/manual-time.ts';
import { type OidcProvider, oidcProvider, type SigningKey, signingKey } from './oidc-provider.ts';

async function start(t: TestContext) {
  const key = await signingKey('one');
  const provider = await oidcProvider(t, [key]);
  const time = new ManualTime();
  const faults: unknown[] = [];
  const tokens = (jwksUrl: string | null = null) =>
    new OidcTokens({
      issuer: provider.issuer,
      algorithms: ['RS256', 'ES256', 'EdDSA', 'PS256'],
      clock: time,
      clockToleranceMs: 30_000,
      keys: new ProviderKeys(
        { issuer: provider.issuer, jwksUrl },
        { clock: time, onFault: (fault) => faults.push(fault) },
      ),
    });
  return { key, provider, time, faults, tokens };
}

const valid = (provider: OidcProvider, key: SigningKey, time: ManualTime, header = {}) =>
  provider.sign(key, { exp: Math.floor(time.nowMs() / 1000) + 86_400 }, header);

test('keys are found by discovery, or where the configuration says, and asked for once', async (t) => {
  const { key, provider, time, tokens } = await start(t);
  const token = await valid(provider, key, time);
  const discovering = tokens();
  const found = await Promise.all(Array.from({ length: 20 }, () => discovering.verify(token)));
  assert.deepEqual(new Set(found.map((claims) => claims?.subject)), new Set(['anna']));
  assert.deepEqual(provider.asked, ['/.well-known/openid-configuration', '/keys']);
  assert.ok(await tokens(`${provider.issuer}/elsewhere`).verify(token));
  assert.deepEqual(provider.asked.slice(2), ['/elsewhere']);
});

test('a new key is found when a token names it; made-up names ask once in 30 s', async (t) => {
  const { key, provider, time, tokens } = await start(t);
  const oidc = tokens(`${provider.issuer}/keys`);
  assert.ok(await oidc.verify(await valid(provider, key, time)));
  const another = await signingKey('two', 'ES256');
  provider.keys = [key.jwk, another.jwk];
  await time.advance(ASK_AT_MOST_EVERY_MS);
  assert.ok(await oidc.verify(await valid(provider, another, time)));
  assert.equal(provider.asked.length, 2);
  for (const kid of ['../../etc/passwd', 'http://169.254.169.254/', '', 'x'.repeat(4000)]) {
    assert.equal(await oidc.verify(await valid(provider, key, time, { kid })), undefined);
  }
  assert.equal(provider.asked.length, 2);
});

test('while the provider is away, known keys go on, and it is asked again', async (t) => {
  const { key, provider, time, faults, tokens } = await start(t);
  const oidc = tokens();
  assert.ok(await oidc.verify(await valid(provider, key, time)));
  provider.isAway = true;
  await time.advance(KEYS_MAX_AGE_MS + 1);
  assert.ok(await oidc.verify(await valid(provider, key, time)));
  assert.ok(await oidc.verify(await valid(provider, key, time)));
  assert.equal(faults.length, 1, 'asked once, in vain');
  provider.isAway = false;
  provider.keys = [(await signingKey('two')).jwk];
  await time.advance(ASK_AT_MOST_EVERY_MS);
  assert.equal(await oidc.verify(await valid(provider, key, time)), undefined, 'the key was taken back');
});

test('while the provider hangs, tokens whose key is known wait for nothing, and others not all at once', async (t) => {
  const { key, provider, time, faults, tokens } = await start(t);
  const oidc = tokens(`${provider.issuer}/keys`);
  const token = await valid(provider, key, time);
  assert.ok(await oidc.verify(token));
  provider.isHanging = true;
  for (const ageMs of [KEYS_MAX_AGE_MS / 2 + 1, KEYS_MAX_AGE_MS]) {
    await time.advance(ageMs);
    const answers = await Promise.all(Array.from({ length: 50 }, () => oidc.verify(token)));
    assert.ok(answers.every((claims) => claims !== undefined));
    assert.deepEqual(faults, [], 'nobody waited for the answer');
    await provider.letGo();
    while (faults.length === 0) await delay(1);
    faults.length = 0;
  }
  await time.advance(ASK_AT_MOST_EVERY_MS);
  const strange = await valid(provider, key, time, { kid: 'made-up' });
  const all = Array.from({ length: 200 }, () =>
    oidc.verify(strange).catch((error: unknown) => brumeError('provider_unavailable')(error) && 'busy'),
  );
  const isBusy = (answer: unknown) => answer === 'busy';
  assert.ok(isBusy(await Promise.any(all)), 'who comes too late is told at once');
  await provider.letGo();
  const busy = (await Promise.all(all)).filter(isBusy).length;
  // The first call has a moment of patience of its own, and finds no room to wait if that is over by now.
  assert.ok(busy === 200 - 64 - 1 || busy === 200 - 64, `${busy} were told at once`);
  assert.equal(await oidc.verify(strange), undefined, 'and then nobody waits for 30 s');
  assert.ok(await oidc.verify(token));
});

test('with the provider away from the start it is said so, and asked again later', async (t) => {
  const { key, provider, time, tokens } = await start(t);
  provider.isAway = true;
  const oidc = tokens();
  const token = await valid(provider, key, time);
  await assert.rejects(oidc.verify(token), brumeError('provider_unavailable'));
  await assert.rejects(oidc.verify(token), brumeError('provider_unavailable'));
  assert.equal(provider.asked.length, 1);
  provider.isAway = false;
  await time.advance(ASK_AT_MOST_EVERY_MS);
  assert.ok(await oidc.verify(token));
});

test('a discovery document of another issuer, or that leads into the clear, is refused', async (t) => {
  const { key, provider, time, faults, tokens } = await start(t);
  const token = await valid(provider, key, time);
  for (const discovery of [
    { issuer: 'https://other.example' },
    { jwks_uri: 'http://192.0.2.1/keys' },
    { jwks_uri: 1 },
  ]) {
    provider.discovery = discovery;
    await assert.rejects(tokens().verify(token), brumeError('provider_unavailable'));
  }
  assert.deepEqual(
    provider.asked.filter((url) => url === '/keys'),
    [],
  );
  assert.match(String(faults[0]), /not BRUME_OIDC_ISSUER/);
});

test('keys that are shared, private, too weak or of another type than the algorithm verify nothing', async (t) => {
  const { key, provider, time, tokens } = await start(t);
  const token = await valid(provider, key, time);
  const ec = await signingKey('one', 'ES256');
  const wrong: unknown[][] = [
    [{ kty: 'oct', k: 'c2VjcmV0', kid: 'one', alg: 'HS256' }],
    [{ ...ec.jwk, alg: undefined }],
    [{ ...key.jwk, use: 'enc' }],
    [{ ...key.jwk, n: 'AQAB' }],
    [{ ...key.jwk, alg: 'RS512' }],
    [null, 'one', {}, { ...ec.jwk }],
    [key.jwk, key.jwk],
  ];
  for (const keys of wrong) {
    provider.keys = keys;
    const outcome = await tokens()
      .verify(token)
      .catch((error: unknown) => (brumeError('provider_unavailable')(error) ? undefined : error));
    assert.equal(outcome, undefined, JSON.stringify(keys));
  }
});
