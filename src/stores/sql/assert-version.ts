import { BrumeError } from '../../errors/catalogue.ts';

/** Rejects with `precondition_failed` what was changed since it was read. Comes behind the lock of changes. */
export function assertVersion({ version }: { readonly version: number }, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  throw new BrumeError('precondition_failed', {
    field: 'If-Match',
    detail: `It has version ${version} by now, not ${expected}. Read it again, then repeat the change on what is there.`,
  });
}
