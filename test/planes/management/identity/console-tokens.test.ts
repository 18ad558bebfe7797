import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { SignJWT } from 'jose';
import { forgedTokens, type Minting, misjudgedTokens } from '../../../identity/forged-tokens.ts';
import { oidcProvider, signingKey } from '../../../identity/oidc-provider.ts';
import { startConsole } from './console-harness.ts';

async function startWithProvider(t: TestContext) {
  const key = await signingKey('one');
  const provider = await oidcProvider(t, [key]);
  const console = await startConsole(t, { env: { BRUME_OIDC_ISSUER: provider.issuer } });
  const { users, ask, actor, time } = console;
  const nowS = time.nowMs() / 1000;
  const mint = (claims: Record<string, unknown> = {}) => provider.sign(key, { exp: nowS + 600, ...claims });
  const link = async (login: string, subject: string) => {
    const user = await users.createUser(login, actor);
    await users.linkIdentity(user.id, provider.issuer, subject, actor);
    return user;
  };
  const who = async (token: string) => {
    const { status, json } = await ask('GET', '/v1/session', { token });
    return [status, json.login ?? json.code];
  };
  return { ...console, key, provider, nowS, mint, link, who };
}

test('B54: over HTTP no misjudged and no forged token of the provider is taken, and a good one after each is', async (t) => {
  const { provider, key, nowS, mint, link, who } = await startWithProvider(t);
  await link('anna', 'anna');
  const minting: Minting = {
    claims: { iss: provider.issuer, sub: 'anna', aud: 'brume-control', exp: nowS + 600 },
    sign: (claims, header) =>
      provider.sign(key, { iss: undefined, sub: undefined, aud: undefined, ...claims }, header),
    nowS,
    toleranceS: 30,
  };
  const bad = [...(await misjudgedTokens(minting)), ...(await forgedTokens(minting, key))];
  const good = await mint({ aud: ['other', 'brume-control'] });
  for (const [what, token] of bad) {
    assert.deepEqual(await who(token), [401, 'unauthorized'], what);
    assert.deepEqual(await who(good), [200, 'anna'], `after: ${what}`);
  }
});

test("B54: over HTTP no misjudged token is taken that the installation's own key signed", async (t) => {
  const { ask, registered, signedIn, identifierSecret, time } = await startConsole(t);
  const { id } = await registered('anna', 'owner');
  const token = await signedIn('anna');
  const { sessionId: sid } = (await ask('GET', '/v1/session', { token })).json;
  const label = 'brume console session v1';
  const key = new Uint8Array(hkdfSync('sha256', identifierSecret, '', label, 32));
  const nowS = time.nowMs() / 1000;
  const minting: Minting = {
    claims: { iss: 'brume', sub: id, sid, aud: 'brume-control', exp: nowS + 600 },
    sign: (claims) => new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(key),
    nowS,
    toleranceS: 30,
  };
  const status = async (of: string) => (await ask('GET', '/v1/session', { token: of })).status;
  const { claims, sign } = minting;
  assert.equal(await status(await sign(claims)), 200);
  assert.equal(await status(await sign({ ...claims, aud: ['a', 'brume-control'] })), 200);
  const more: [string, Record<string, unknown>][] = [
    ['sid missing', { ...claims, sid: undefined }],
    ['sid of no session', { ...claims, sid: 'ses_0' }],
    ['sid a number', { ...claims, sid: 1 }],
    ["somebody else's sub", { ...claims, sub: (await registered('bert')).id }],
  ];
  const bad = await misjudgedTokens(minting);
  for (const [what, members] of more) bad.push([what, await sign(members)]);
  for (const [what, forged] of bad) assert.equal(await status(forged), 401, what);
});

test('B54: two tokens that alternate never see each other, 200 times, one after the other and at once', async (t) => {
  const { mint, link, who, registered, signedIn } = await startWithProvider(t);
  await link('anna', 'anna');
  await link('bert', 'bert');
  await registered('carl');
  const tokens = [await mint({ sub: 'anna' }), await mint({ sub: 'bert' }), await signedIn('carl')];
  const expected = ['anna', 'bert', 'carl'];
  for (let at = 0; at < 200; at++) {
    assert.deepEqual(await who(tokens[at % 3] ?? ''), [200, expected[at % 3]]);
  }
  const atOnce = await Promise.all(Array.from({ length: 200 }, (_, at) => who(tokens[at % 3] ?? '')));
  assert.deepEqual(
    atOnce,
    Array.from({ length: 200 }, (_, at) => [200, expected[at % 3]]),
  );
});

test('who comes by the provider and is linked to nobody is told what to link, never taken by e-mail address', async (t) => {
  const { ask, mint, provider, registered } = await startWithProvider(t);
  await registered('anna');
  const token = await mint({
    sub: "o'hara",
    email: 'anna',
    email_verified: true,
    preferred_username: 'anna',
  });
  const { status, json } = await ask('GET', '/v1/session', { token });
  assert.equal(status, 401);
  const command = `brume user link LOGIN --issuer ${provider.issuer} --subject 'o'\\''hara'`;
  assert.ok(String(json.detail).endsWith(command), String(json.detail));
});

test('a linked user who is disabled is refused at the very next request', async (t) => {
  const { mint, link, who, users, actor } = await startWithProvider(t);
  const { id } = await link('anna', 'anna');
  const token = await mint();
  assert.deepEqual(await who(token), [200, 'anna']);
  await users.disableUser(id, true, actor);
  assert.deepEqual(await who(token), [401, 'unauthorized']);
});

test('who is no longer linked is refused at the very next request, and can be linked to somebody else', async (t) => {
  const { mint, link, who, users, provider, actor } = await startWithProvider(t);
  const { id } = await link('anna', 'anna');
  const token = await mint();
  assert.deepEqual(await who(token), [200, 'anna']);
  await users.unlinkIdentity(id, provider.issuer, 'anna', actor);
  assert.deepEqual(await who(token), [401, 'unauthorized']);
  await link('bert', 'anna');
  assert.deepEqual(await who(token), [200, 'bert']);
});

test('a session of the provider is not ended here, and that is said', async (t) => {
  const { ask, mint, link } = await startWithProvider(t);
  await link('anna', 'anna');
  const { status, json } = await ask('DELETE', '/v1/session', { token: await mint() });
  assert.deepEqual([status, json.code], [404, 'unknown_session']);
});

test('with the provider away, people of the provider get 503 and all others come in', async (t) => {
  const { mint, link, who, provider, registered, signedIn, lines } = await startWithProvider(t);
  await link('anna', 'anna');
  await registered('carl');
  provider.isAway = true;
  assert.deepEqual(await who(await mint()), [503, 'provider_unavailable']);
  assert.deepEqual(await who(await signedIn('carl')), [200, 'carl']);
  assert.ok(JSON.stringify(lines).includes('the identity provider could not be asked'));
});

test('a token counts in one Authorization header only', async (t) => {
  const { ask, registered, signedIn } = await startConsole(t);
  await registered('anna');
  const token = await signedIn('anna');
  for (const headers of [
    { 'x-api-key': token },
    { apikey: token },
    { cookie: `token=${token}` },
    { authorization: token },
    { authorization: `Basic ${token}` },
    { authorization: `Bearer ${token} ${token}` },
  ]) {
    assert.equal((await ask('GET', '/v1/session', { headers })).status, 401, JSON.stringify(headers));
  }
  assert.equal((await ask('GET', `/v1/session?token=${token}&access_token=${token}`)).status, 401);
  assert.equal(
    (await ask('GET', '/v1/session', { headers: { authorization: `bearer  ${token}` } })).status,
    200,
  );
});
