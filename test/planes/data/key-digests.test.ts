import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { startPlane, window } from './plane-harness.ts';

const BODY = { namespace: 'api', identifier: 'ann' };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** As many characters as two digests begin with alike. */
function alike(one: string, other: string): number {
  return [...one].findIndex((character, at) => character !== other[at]);
}

/**
 * Of what a refusal may tell by its time: nothing compares secrets, and what is looked up instead is a digest,
 * of one length and without any likeness to the key's own. scripts/measure-key-timing.ts measures it.
 */
test('B53: whatever is presented, one digest of one length is looked up, which tells nothing of how much was right', async (t) => {
  const plane = await startPlane(t, { namespaces: { api: window(10) } });
  const { key } = plane;
  const right = sha256(key);
  const presented = [
    ...Array.from({ length: key.length - 1 }, (_, kept) => {
      const rest = randomBytes(key.length)
        .toString('base64url')
        .slice(0, key.length - kept);
      return `${key.slice(0, kept)}${rest}`;
    }),
    ...Array.from({ length: key.length - 1 }, (_, kept) => key.slice(0, kept + 1)),
    `${key}x`,
    key.toUpperCase(),
    'brume_sk_',
    'x'.repeat(8000),
  ];
  plane.lookups.length = 0;
  for (const secret of presented) {
    assert.equal((await plane.post('/v1/limit', BODY, { 'x-api-key': secret })).status, 401);
  }
  assert.deepEqual(plane.lookups, presented.map(sha256), 'the digest of each, once, and nothing else');
  // 8 of 64 hexadecimal digits by chance: once in 4 billion.
  for (const digest of plane.lookups) assert.ok(alike(digest, right) < 8, digest);
});
