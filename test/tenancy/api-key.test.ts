import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { isUsable } from '../../src/tenancy/api-key.ts';
import { hashApiKey, newApiKeySecret } from '../../src/tenancy/api-key-secret.ts';

describe('a new API key', () => {
  it('says its kind and has 256 random bits', () => {
    assert.match(newApiKeySecret('publishable').secret, /^brume_pk_[A-Za-z0-9_-]{43}$/);
    assert.match(newApiKeySecret('service').secret, /^brume_sk_[A-Za-z0-9_-]{43}$/);
    const secrets = new Set(Array.from({ length: 100 }, () => newApiKeySecret('service').secret));
    assert.equal(secrets.size, 100);
  });

  it('is stored as its SHA-256 and shown by a prefix that gives nothing away', () => {
    const { secret, prefix, sha256 } = newApiKeySecret('service');
    assert.equal(sha256, createHash('sha256').update(secret).digest('hex'));
    assert.ok(secret.startsWith(prefix));
    assert.equal(prefix.length, 'brume_sk_'.length + 4);
  });
});

describe('a presented API key', () => {
  it('B53: any text has a hash, and only the very bytes of the key have its hash', () => {
    const { secret, sha256 } = newApiKeySecret('service');
    assert.equal(hashApiKey(secret), sha256);
    const wide = secret.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 0x100));
    const highBytes = '\u0080\u00ff'.repeat(26);
    const surrogate = secret.replace(/.$/, '\ud800');
    for (const other of [
      '',
      ' ',
      wide,
      highBytes,
      surrogate,
      `${secret}\0`,
      ` ${secret}`,
      'a'.repeat(8192),
    ]) {
      assert.match(hashApiKey(other), /^[0-9a-f]{64}$/);
      assert.notEqual(hashApiKey(other), sha256);
    }
  });
});

describe('isUsable', () => {
  it('ends at the moment of expiry, and with a revocation', () => {
    assert.equal(isUsable({ expiresAtMs: null, revokedAtMs: null }, 1000), true);
    assert.equal(isUsable({ expiresAtMs: 1000, revokedAtMs: null }, 999), true);
    assert.equal(isUsable({ expiresAtMs: 1000, revokedAtMs: null }, 1000), false);
    assert.equal(isUsable({ expiresAtMs: null, revokedAtMs: 5000 }, 1000), false);
  });
});
