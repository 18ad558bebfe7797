import { throws } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertServed } from '../../../src/operations/drill/baseline.ts';
import type { Sample } from '../../../src/operations/drill/load.ts';

const NODES = ['http://a', 'http://b'];

function samples(node: string, some: Partial<Sample> = {}): Sample[] {
  return Array.from({ length: 20 }, (_, index) => ({
    dueMs: index * 100,
    sentMs: index * 100,
    endMs: index * 100 + 5,
    node,
    identifier: 'ann',
    fault: null,
    isAllowed: true,
    isDegraded: false,
    ...some,
  }));
}

describe('before a fault each node', () => {
  const well = samples('http://a');

  it('must have answered, and counted, with a late answer of Redis left out', () => {
    const [first, ...others] = samples('http://b') as [Sample, ...Sample[]];
    const late = [{ ...first, isDegraded: true }, ...others];
    assertServed(NODES, { samples: [...well, ...late], unanswered: [] }, 4000);
  });

  it('is refused by its name where it did not', () => {
    const refused = (
      other: Sample[],
      said: RegExp,
      unanswered = [{ dueMs: 3900, sentMs: 3900, node: 'http://b', identifier: 'ann' }],
    ) => throws(() => assertServed(NODES, { samples: [...well, ...other], unanswered }, 4000), said);
    refused([], /^OperationError: http:\/\/b answered no check before/);
    refused(samples('http://b', { fault: '503' }), /http:\/\/b gave no verdict \(503\)/);
    refused(
      samples('http://b', { isDegraded: true }),
      /http:\/\/b judged 20 of 20 checks by the failure policy/,
    );
    const waiting = [{ dueMs: 1500, sentMs: 1500, node: 'http://b', identifier: 'ann' }];
    refused(samples('http://b'), /http:\/\/b let a check wait for 2500 ms/, waiting);
  });
});
