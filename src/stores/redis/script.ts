import { createHash } from 'node:crypto';

/** A Lua script, and the name under which Redis keeps it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function scriptOf(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}
