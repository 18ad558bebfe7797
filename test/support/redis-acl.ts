import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The minimal ACL of docs/redis.md, as arguments of ACL SETUSER behind the name of the user. */
export function documentedAcl(): string[] {
  return documentedRules(/^user brume (on [^`]*?)\n```/ms);
}

/** The same of a Sentinel. */
export function documentedSentinelAcl(): string[] {
  return documentedRules(/^For Sentinels with an ACL: `([^`]*)`/ms);
}

function documentedRules(place: RegExp): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/redis.md'), 'utf8');
  const [, rules] = place.exec(page) ?? [];
  if (rules === undefined) throw new Error(`docs/redis.md has nothing like ${place.source}`);
  return rules.split(/\s+/).filter((rule) => rule !== '');
}
