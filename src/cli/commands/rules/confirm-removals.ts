import type { AppliedRules } from '../../../client/rules.ts';
import type { ExceptionKind } from '../../../policy/exceptions/rule-exception.ts';
import { changeSummary } from '../../../policy/rules/change-summary.ts';
import type { Terminal } from '../../terminal.ts';
import { UsageError } from '../../usage-error.ts';
import { isYes } from '../../yes.ts';
import { changeText } from './change-text.ts';

/** Asks before anything is removed. Without a terminal nobody can be asked, and it is refused. */
export async function confirmRemovals(
  terminal: Terminal,
  plan: AppliedRules,
  { yes = false }: { readonly yes?: boolean },
): Promise<boolean> {
  const removed = plan.items.filter(({ after }) => after === null);
  if (removed.length === 0 || yes) return true;
  const counted = removed.map(({ exception, ...item }) => ({
    ...item,
    exception: exception === null ? null : { kind: exception.kind as ExceptionKind },
  }));
  const what = changeSummary(counted).replaceAll(' removed', '');
  if (!terminal.isInteractive) {
    throw new UsageError(`${what} would be removed, and nobody can be asked here: add --yes to do so.`);
  }
  terminal.err(`${changeText(plan)}\n`);
  return isYes(await terminal.ask(`Remove ${what}, and do the rest? [y/N] `));
}
