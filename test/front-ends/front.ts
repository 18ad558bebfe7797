import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { swap } from '../support/nginx-front.ts';
import type { ProxyProcess } from './proxy-process.ts';

/** What a proxy with the shipped files is set up for: `/NAMESPACE/…` is limited by that namespace, `/free/…` by none. */
export interface FrontSetUp {
  readonly brumePort: number;
  readonly key: string;
  readonly appUrl: string;
  readonly namespaces: readonly string[];
  /** While Brume does not answer. As shipped: open. */
  readonly whenUnjudged?: 'open' | 'closed';
  /**
   * Brume may take 10 s instead of the shipped 0.5 s, so that a slow machine never fails open. Without
   * it the shipped times hold.
   */
  readonly isPatient?: boolean;
}

export type StartFront = (setUp: FrontSetUp) => Promise<ProxyProcess>;

const packaging = join(import.meta.dirname, '../../packaging');

/** A shipped file with changes, each of which has to find what it changes. */
export function shipped(
  path: string,
  ...changes: readonly (readonly [from: string | RegExp, to: string])[]
): string {
  const text = readFileSync(join(packaging, path), 'utf8');
  return changes.reduce((changed, [from, to]) => swap(changed, from, to), text);
}
