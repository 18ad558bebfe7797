import { BrumeError } from '../../errors/catalogue.ts';

/**
 * Rejects with `precondition_failed` what was changed since it was read, or is not there (undefined). Comes
 * behind the lock of changes.
 */
export function assertVersion(
  { version }: { readonly version: number | undefined },
  expected: number | undefined,
): void {
  if (expected === undefined || expected === version) return;
  const now = version === undefined ? 'It is not there' : `It has version ${version} by now, not ${expected}`;
  throw new BrumeError('precondition_failed', {
    field: 'If-Match',
    detail: `${now}. Read it again, then repeat the change on what is there.`,
  });
}
