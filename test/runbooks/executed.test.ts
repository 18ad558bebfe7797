import { deepEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judged, pastedLines } from './executed.ts';
import { runbookFiles } from './markdown.ts';

describe('the commands of the runbooks', () => {
  for (const { file, text } of runbookFiles()) {
    it(`${file}: each is one that is run in a booted system, or it is said why not`, () => {
      deepEqual(
        pastedLines(text).filter((line) => judged(line) === undefined),
        [],
      );
    });
  }

  it('of a walk are not among them, and those of the sections after it are', () => {
    const lines = pastedLines(textOf('redis-failover.md'));
    deepEqual(
      [
        lines.some((line) => line.includes('failover-probe')),
        lines.includes('redis-cli -h HOST cluster info'),
      ],
      [false, true],
    );
  });

  it('of a block have no comments, and continued lines are one', () => {
    deepEqual(pastedLines('```sh\n# Only if.\nvi FILE    # by hand\nbrume \\\n  status\n```\n'), [
      'vi FILE',
      'brume    status',
    ]);
  });
});

function textOf(wanted: string): string {
  return runbookFiles().find(({ file }) => file === wanted)?.text ?? '';
}
