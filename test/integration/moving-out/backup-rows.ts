import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** What a backup holds, line by line, but for what says when and of which stores it was made. */
export function backupRows(path: string): string[] {
  const [, ...lines] = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
  lines.pop();
  const installation = lines.findIndex((line) => line.startsWith('{"table":"installation"'));
  const [id, secret] = JSON.parse(lines[installation + 1] ?? '[]');
  // Without the revision, which a restore raises.
  return lines.with(installation + 1, JSON.stringify([id, secret]));
}
