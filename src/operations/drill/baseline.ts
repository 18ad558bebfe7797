import { OperationError } from '../operation-error.ts';
import type { Sample, SentCheck } from './load.ts';

/** Sooner than the load gives an answer up, and than the baseline is over. */
const OVERDUE_MS = 2000;
/** One late answer of Redis is nothing out of the ordinary. */
const DEGRADED_SHARE_MAX = 0.1;
const NAME_THEM = 'Name the data planes with --node http://ADDRESS:PORT.';

/** What doesn't work without a fault tells nothing about it: each node must have counted what it was asked. */
export function assertServed(
  nodes: readonly string[],
  { samples, unanswered }: { readonly samples: readonly Sample[]; readonly unanswered: readonly SentCheck[] },
  nowMs: number,
): void {
  const refuse = (node: string, what: string) => {
    throw new OperationError(`${node} ${what} before the fault began. ${NAME_THEM}`);
  };
  for (const node of nodes) {
    const own = samples.filter((sample) => sample.node === node);
    const failed = own.find(({ fault }) => fault !== null);
    if (failed !== undefined) refuse(node, `gave no verdict (${failed.fault})`);
    const degraded = own.filter(({ isDegraded }) => isDegraded).length;
    if (degraded > own.length * DEGRADED_SHARE_MAX)
      refuse(node, `judged ${degraded} of ${own.length} checks by the failure policy`);
    const late = unanswered.find((asked) => asked.node === node && nowMs - asked.dueMs >= OVERDUE_MS);
    if (late !== undefined) refuse(node, `let a check wait for ${Math.round(nowMs - late.dueMs)} ms`);
    if (own.length === 0) refuse(node, 'answered no check');
  }
}
