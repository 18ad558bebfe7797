import { equal } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryFault } from './memory.ts';

const MB = 1_000_000;
const held = (...megabytes: number[]) => megabytes.map((each) => each * MB);

describe('the memory that the chaos suite sees', () => {
  it('may rise and fall by what is known of identifiers for a while', () => {
    equal(memoryFault({ resident: 270 * MB, held: held(41, 45, 47, 44, 49) }), undefined);
  });

  it('may not grow from seed to seed', () => {
    equal(memoryFault({ resident: 270 * MB, held: held(41, 44, 47, 50, 53) }), '41 MB were held, then 53 MB');
  });

  it('may not be too much at any time', () => {
    equal(memoryFault({ resident: 500 * MB, held: held(41) }), '500 MB resident');
  });
});
