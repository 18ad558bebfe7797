import { equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryFault } from './memory.ts';

const MB = 1_000_000;

describe('the memory that the chaos suite sees', () => {
  it('may rise and fall as garbage is collected', () => {
    const saw = [192, 224, 250, 263, 280, 147, 183, 197, 203, 213].map((megabytes) => megabytes * MB);
    equal(memoryFault(saw, 10), undefined);
    equal(memoryFault([137 * MB, 240 * MB], 10), undefined);
  });

  it('may not rise from low to low', () => {
    const leak = [150, 200, 170, 220, 190, 240, 210, 260, 230, 280].map((megabytes) => megabytes * MB);
    equal(memoryFault(leak, 10), 'never below 150 MB, then never below 210 MB');
    equal(memoryFault(leak.slice(0, 9), 10), undefined);
  });

  it('may not be too much at any time', () => {
    equal(memoryFault([500 * MB], 10), '500 MB');
  });
});
