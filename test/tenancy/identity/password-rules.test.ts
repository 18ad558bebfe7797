import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalPassword, passwordFault } from '../../../src/tenancy/identity/password-rules.ts';

test('a password of 12 to 256 characters is taken, whatever it is made of', () => {
  for (const password of [
    '            ',
    'aaaaaaaaaaaa',
    '🌫️'.repeat(128),
    'é'.repeat(256),
    'correct horse',
  ]) {
    assert.equal(passwordFault(password), undefined, password);
  }
});

test('a shorter, a longer and a broken one are refused', () => {
  for (const password of ['', 'a'.repeat(11), '🌫'.repeat(11), 'a'.repeat(257)]) {
    assert.equal(passwordFault(password), 'must have 12 to 256 characters');
  }
  assert.equal(passwordFault('aaaaaaaaaaaa\ud800'), 'is not valid Unicode');
});

test('what looks the same is the same password', () => {
  assert.equal(canonicalPassword('cafe\u0301'), canonicalPassword('caf\u00e9'));
});
