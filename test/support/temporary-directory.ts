import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A new directory that goes when the test ends. */
export function temporaryDirectory(test: Pick<TestContext, 'after'>): string {
  const path = mkdtempSync(join(tmpdir(), 'brume-'));
  test.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
