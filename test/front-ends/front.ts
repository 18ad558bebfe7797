import type { Filling, FrontEndName } from '../../src/operations/snippet/front-ends.ts';
import { snippet } from '../../src/operations/snippet/snippet.ts';
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

/**
 * The file that `brume snippet` prints, with changes that a throw-away front end needs; each has to find
 * what it changes.
 */
export function filled(
  frontEnd: FrontEndName,
  file: string,
  filling: Filling,
  ...changes: readonly (readonly [from: string | RegExp, to: string])[]
): string {
  const text = snippet(frontEnd, filling).find((candidate) => candidate.file === file)?.text;
  if (text === undefined) throw new Error(`${frontEnd} has no file ${file}`);
  return changes.reduce((changed, [from, to]) => swap(changed, from, to), text);
}
