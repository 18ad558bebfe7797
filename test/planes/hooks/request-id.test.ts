import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestIdOf } from '../../../src/planes/hooks/request-id.ts';

const proxy = { address: '10.0.0.1', isTrusted: true };
const stranger = { address: '198.51.100.1', isTrusted: false };
const OWN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('an id is taken from a trusted peer if it is well-formed and alone, and made otherwise', () => {
  assert.equal(requestIdOf(['X-Request-ID', 'a1:b2/c'], proxy), 'a1:b2/c');
  assert.match(requestIdOf(['X-Request-ID', 'a1:b2/c'], stranger), OWN);
  assert.match(requestIdOf([], proxy), OWN);
  for (const id of ['', 'a b', '"', 'é', 'x'.repeat(129)])
    assert.match(requestIdOf(['x-request-id', id], proxy), OWN);
  assert.match(requestIdOf(['x-request-id', 'a', 'x-request-id', 'a'], proxy), OWN);
  assert.notEqual(requestIdOf([], proxy), requestIdOf([], proxy));
});
