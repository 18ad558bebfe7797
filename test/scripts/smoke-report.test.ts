import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Report } from '../../scripts/smoke/report.ts';

function told(lines: readonly string[], broken?: string) {
  const printed: string[] = [];
  const report = new Report('vm', (line) => printed.push(line));
  for (const line of lines) report.line(line);
  if (broken !== undefined) report.broke(broken);
  const counts = report.end();
  return { counts, printed, json: JSON.parse(report.json()) };
}

describe('the report of the smoke test', () => {
  it('has a check a line, and what one that failed has said', () => {
    const { counts, json } = told([
      'begun\tboots',
      '[    1.5] the kernel sayscheck\tok\t12\tboots\r',
      'begun\tstarts',
      'check\tFAILED\t3\tstarts',
      '    check\tok\t9\tis no check, but output',
      'what the kernel says',
    ]);
    assert.deepEqual(counts, { passed: 1, failed: 1 });
    assert.equal(json.form, 'vm');
    assert.deepEqual(json.checks, [
      { name: 'boots', passed: true, seconds: 12 },
      { name: 'starts', passed: false, seconds: 3, output: 'check\tok\t9\tis no check, but output\n' },
    ]);
  });

  it('of one that is cut names the check that went on, and counts none twice', () => {
    const lines = ['begun\tboots', 'check\tok\t12\tboots', 'begun\tstarts'];
    const { counts, printed, json } = told(lines, `it said last:\n${lines.slice(0, 2).join('\n')}`);
    assert.deepEqual(counts, { passed: 1, failed: 1 });
    const output = 'during: starts\nit said last:\nbegun\tboots\ncheck\tok\t12\tboots\n';
    assert.equal(json.checks[1].output, output);
    assert.equal(json.checks[1].passed, false);
    assert.ok(printed.includes('    during: starts'));
  });

  it('without any check is a failure', () => {
    assert.deepEqual(told(['nothing']).counts, { passed: 0, failed: 1 });
  });
});
