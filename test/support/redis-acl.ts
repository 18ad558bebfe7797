import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The minimal ACL of docs/redis.md, as arguments of ACL SETUSER behind the name of the user. */
export function documentedAcl(): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/redis.md'), 'utf8');
  const [, rules] = /^user brume (on [^`]*?)\n```/ms.exec(page) ?? [];
  if (rules === undefined) throw new Error('docs/redis.md has no line that begins with `user brume on`');
  return rules.split(/\s+/).filter((rule) => rule !== '');
}
