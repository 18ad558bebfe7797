import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONSOLE_AUDIENCE } from '../../src/tenancy/identity/console-tokens.ts';
import { faultsOf, load } from './faults-of.ts';

const isTaken = (variable: string, text: string) => faultsOf({ [variable]: text }).length === 0;

test('B54: a tolerance that would switch expiry off is refused at start', () => {
  assert.equal(load({ BRUME_CLOCK_TOLERANCE_MS: '300000' }).clockToleranceMs, 300_000);
  for (const text of ['9007199254740991', '300001', '-1', '1e9', 'Infinity', '30s', '']) {
    assert.ok(!isTaken('BRUME_CLOCK_TOLERANCE_MS', text), text);
  }
});

test('B54: algorithms with a shared secret, none, and unknown ones are refused at start, each with its reason', () => {
  assert.deepEqual(load({ BRUME_OIDC_ALGORITHMS: 'ES384, RS256' }).oidcAlgorithms, ['ES384', 'RS256']);
  const problem = (text: string) => faultsOf({ BRUME_OIDC_ALGORITHMS: text })[0]?.problem ?? '';
  for (const text of ['HS256', 'RS256,HS512', 'hs256']) assert.match(problem(text), /public key/, text);
  for (const text of ['none', 'RS256,None']) assert.match(problem(text), /nobody signed/, text);
  for (const text of ['RS256,', 'rs256', 'A128KW', 'ES256K'])
    assert.match(problem(text), /no algorithm/, text);
});

test('issuer and keys come over https, or from loopback', () => {
  for (const variable of ['BRUME_OIDC_ISSUER', 'BRUME_OIDC_JWKS_URL']) {
    for (const text of [
      'https://id.example.org/realms/staff',
      'https://id.example.org/',
      'http://127.0.0.1:8080',
    ]) {
      assert.ok(isTaken(variable, text), text);
    }
    for (const text of [
      'brume',
      'id.example.org',
      'http://id.example.org',
      'http://127.0.0.1.example.org',
      'https://user:secret@id.example.org',
      'https://id.example.org/?a=b',
      'https://id.example.org/#a',
      'file:///etc/passwd',
      'https://id.example.org/ ',
    ]) {
      assert.ok(!isTaken(variable, text), text);
    }
  }
  assert.equal(load({ BRUME_OIDC_ISSUER: 'https://id.example.org/' }).oidcIssuer, 'https://id.example.org/');
});

test('no setting widens the audience of console tokens: it is brume-control, and nothing else', () => {
  assert.ok(!isTaken('BRUME_OIDC_AUDIENCE', 'brume-staging'));
  assert.equal(CONSOLE_AUDIENCE, 'brume-control');
});
