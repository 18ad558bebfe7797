import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { identifierKeyer } from '../../../src/limiter/identifier-key.ts';
import { foundIdentifier } from '../../../src/planes/data/found-identifier.ts';
import { proxyTrust } from '../../../src/planes/hooks/proxy-trust.ts';
import { parseRule } from '../../../src/policy/rule-input.ts';
import { window } from './plane-harness.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const keyOf = identifierKeyer(Buffer.alloc(32, 1));
const COUNT = 2000;
const BALLAST = 'x'.repeat(15_000);

/** An identifier as a check leaves it: its state's name was made of it. */
function checked(identifyBy: string, headers: readonly string[]): string {
  const { identifier } = foundIdentifier(parseRule({ ...window(10), identifyBy }), {
    headers,
    peer: { address: '127.0.0.1', isTrusted: true },
    trust: proxyTrust(['127.0.0.1/32']),
    caller: { projectId: 'prj_1', keyId: 'key_1', scopes: [] },
    pathHeaders: ['x-original-uri'],
    restOfUrl: '',
  });
  keyOf('prj_1', 'ns_1', identifier);
  return identifier;
}

const KINDS: Readonly<Record<string, (n: number) => string>> = {
  path: (n) => checked('path', ['X-Original-URI', `/orders/of-customer-${n}?${BALLAST}${n}`]),
  header: (n) => checked('header:X-User', ['X-User', `customer-number-${n}`, 'Cookie', `${BALLAST}${n}`]),
  address: (n) =>
    checked('address', ['X-Forwarded-For', `${`${BALLAST}${n}, `}2001:db8:1234:${n.toString(16)}::1`]),
};

for (const [kind, identifierOf] of Object.entries(KINDS)) {
  test(`an identifier by ${kind} that is kept keeps nothing else of its request`, () => {
    const kept: string[] = [];
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < COUNT; n++) kept.push(identifierOf(n));
    collectGarbage();
    const grown = process.memoryUsage().heapUsed - before;
    assert.equal(new Set(kept).size, COUNT);
    assert.ok(grown < (COUNT * BALLAST.length) / 4, `${kept.length} identifiers take ${grown} bytes`);
  });
}
