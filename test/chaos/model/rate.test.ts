import { equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { overAdmission, type Rate } from './rate.ts';

const FIXED: Rate = { kind: 'fixed', limit: 3, windowMs: 1000 };
const ANY: Rate = { kind: 'any', limit: 3, windowMs: 1000 };
const BUCKET: Rate = { kind: 'bucket', limit: 10, windowMs: 1000, burst: 3 };

const at = (...times: number[]) => times.map((atMs) => ({ sentMs: atMs, receivedMs: atMs + 5 }));

describe('over-admission as the chaos suite finds it', () => {
  it('finds one too many in a window of the clock, and none over its edge', () => {
    equal(overAdmission(FIXED, at(1900, 1950, 1980, 2010, 2020, 2030), []), undefined);
    match(overAdmission(FIXED, at(2010, 2020, 2030, 2040), []) ?? '', /4 admitted/);
  });

  it('finds one too many in any window', () => {
    match(overAdmission(ANY, at(1900, 1950, 2010, 2020), []) ?? '', /4 admitted/);
    equal(overAdmission(ANY, at(1900, 1950, 2010, 2901), []), undefined);
  });

  it('finds more than a bucket can have gained', () => {
    equal(overAdmission(BUCKET, at(1000, 1000, 1000, 1100, 1200), []), undefined);
    match(overAdmission(BUCKET, at(1000, 1000, 1000, 1010, 1020), []) ?? '', /admitted/);
  });

  it('leaves out what was not surely admitted in the window, and windows of which the store forgot', () => {
    const edge = [...at(2010, 2020, 2030), { sentMs: 1990, receivedMs: 2040 }];
    equal(overAdmission(FIXED, edge, []), undefined);
    const loss = { fromMs: 2015, toMs: 2025, everything: true };
    equal(overAdmission(FIXED, at(2010, 2020, 2030, 2040), [loss]), undefined);
  });
});
